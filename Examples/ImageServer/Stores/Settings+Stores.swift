// SPDX-License-Identifier: MIT
import Foundation
import RedisStore
import WebImage

extension Settings {
    /// The loader with its parts. What a program makes itself, it ends itself.
    struct Loader: Sendable {
        let manager: ImageManager
        /// Made when servers share a store; ends after the manager.
        var caches: ImageCaches?
        var shared: SharedCache?
    }

    /// The loader of these settings; connected to the shared store when that takes less than a second.
    ///
    /// A store that cannot be reached is told on standard error, and the server serves without it.
    func loader() async -> Loader {
        let configuration = manager
        guard let redis else { return Loader(manager: ImageManager(configuration: configuration)) }
        let store = RedisStore(RedisStore.Configuration(redis))
        var sharing = SharedCache.Configuration()
        sharing.failureLifetime = configuration.failureLifetime
        sharing.onTrouble = { FileHandle.standardError.write(Data("image-server: \($0)\n".utf8)) }
        let shared = SharedCache(
            local: configuration.disk.map { DiskCache($0) }, stores: [store], configuration: sharing)
        let caches = ImageCaches(memory: configuration.memory, watch: configuration.memoryWatch, disk: shared)
        _ = await store.connected(within: .seconds(1))
        let manager = ImageManager(
            configuration: configuration, caches: caches,
            transport: HTTPClient(configuration: configuration.transport))
        return Loader(manager: manager, caches: caches, shared: shared)
    }
}

extension Setting {
    /// The options of shared stores.
    static let stores: [Setting] = [
        Setting(
            name: "redis", placeholder: "URL", help: "share pictures and work, at redis://host:6379/0 or unix:///path"
        ) { settings, text throws(SettingsError) in
            do throws(SharedStoreError) {
                settings.redis = try RedisAddress(text)
            } catch {
                throw SettingsError(message: "an address of Redis: \(error.message)")
            }
        }
    ]
}
