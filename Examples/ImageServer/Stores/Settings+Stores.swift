// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ObjectStore
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

    /// The loader of these settings; connected to Redis when that takes less than a second.
    ///
    /// A store that cannot be reached is told on standard error, and the server serves without it.
    ///
    /// - Parameter onPressure: Called when the level of memory pressure has changed.
    /// - Throws: `SharedStoreError` for options about buckets that ``check()`` refuses.
    func loader(onPressure: @escaping @Sendable (MemoryPressure) -> Void) async throws(SharedStoreError) -> Loader {
        var configuration = manager
        configuration.memoryWatch?.onChange = onPressure
        let redis = redis.map { RedisStore(RedisStore.Configuration($0)) }
        // The fast one first, which also has the leases.
        var stores: [any SharedStore] = redis.map { [$0] } ?? []
        if let bucket = try objects.storeConfiguration() { stores.append(try ObjectStore(bucket)) }
        let transport = try transport(configuration.transport)
        guard !stores.isEmpty else {
            return Loader(manager: ImageManager(configuration: configuration, transport: transport))
        }
        var sharing = SharedCache.Configuration()
        sharing.failureLifetime = configuration.failureLifetime
        sharing.onTrouble = { FileHandle.standardError.write(Data("image-server: \($0)\n".utf8)) }
        let shared = SharedCache(
            local: configuration.disk.map { DiskCache($0) }, stores: stores, configuration: sharing)
        let caches = ImageCaches(memory: configuration.memory, watch: configuration.memoryWatch, disk: shared)
        _ = await redis?.connected(within: .seconds(1))
        let manager = ImageManager(configuration: configuration, caches: caches, transport: transport)
        return Loader(manager: manager, caches: caches, shared: shared)
    }

    /// What fetches sources: over HTTP, and from buckets where there are some.
    private func transport(_ configuration: HTTPClient.Configuration) throws(SharedStoreError) -> any HTTPLoading {
        let client = HTTPClient(configuration: configuration)
        guard !objects.sources.isEmpty, let service = try objects.service() else { return client }
        return HTTPLoaderChain(ObjectLoader(service, buckets: objects.sources, transport: configuration), client)
    }
}

extension Setting {
    /// The options of shared stores.
    static let stores: [Setting] = [
        Setting(
            name: "redis", placeholder: "URL",
            help: "share pictures and work, at redis://host:6379/0, rediss: for TLS, or unix:///path"
        ) { settings, text throws(SettingsError) in
            do throws(SharedStoreError) {
                settings.redis = try RedisAddress(text)
            } catch {
                throw SettingsError(message: "an address of Redis: \(error.message)")
            }
        }
    ]
}
