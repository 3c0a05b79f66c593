// SPDX-License-Identifier: MIT
import HTTPLoaders
import HTTPTransport
import ObjectStore
import PlatformBasics
import RedisStore
import SharedStores
import WebImage

extension Settings {
    /// The loader with its parts. What a program makes itself, it ends itself.
    struct Loader: Sendable {
        let manager: ImageManager
        /// Made when servers share a store; ends after the manager.
        var caches: ImageCaches?
        var shared: SharedCache?
        var redis: RedisStore?
        /// `nil` without a folder for one.
        var disk: DiskCache?
    }

    /// The loader of these settings; connected to Redis when that takes less than a second.
    ///
    /// A store that cannot be reached, and a folder that cannot be used, are told on standard error, and the server
    /// serves without them.
    ///
    /// - Parameter onPressure: Called when the level of memory pressure has changed.
    /// - Throws: `SharedStoreError` for options about buckets that ``check()`` refuses.
    func loader(onPressure: @escaping @Sendable (MemoryPressure) -> Void) async throws(SharedStoreError) -> Loader {
        let loader = try await parts(onPressure: onPressure)
        guard let disk = loader.disk else { return loader }
        // A folder that cannot be written is told now, and not with the first picture. Unstructured, because a disk
        // that does not answer must not hold up the start; the shutdown of the cache ends the operation.
        Task {
            let trial = CacheKey("image-server: whether the folder can be written")
            _ = try? await disk.store(DiskEntry(metadata: EntryMetadata(url: ""), bytes: [1]), for: trial)
            try? await disk.remove(trial)
        }
        return loader
    }

    private func parts(
        onPressure: @escaping @Sendable (MemoryPressure) -> Void
    ) async throws(SharedStoreError) -> Loader {
        let warn = { @Sendable (what: String) in Main.note("image-server: \(what)") }
        var configuration = manager
        configuration.disk?.onWarning = { warn("the disk cache does not work: \($0)") }
        configuration.memoryWatch?.onChange = onPressure
        let redis = redis.map { RedisStore(RedisStore.Configuration($0)) }
        // The fast one first, which also has the leases.
        var stores: [any SharedStore] = redis.map { [$0] } ?? []
        if let bucket = try objects.storeConfiguration() { stores.append(try ObjectStore(bucket)) }
        let transport = try transport(configuration.transport)
        guard !stores.isEmpty else {
            let manager = ImageManager(configuration: configuration, transport: transport)
            return Loader(manager: manager, disk: manager.diskCache)
        }
        var sharing = SharedCache.Configuration()
        sharing.failureLifetime = configuration.failureLifetime
        sharing.onTrouble = { warn("\($0)") }
        let disk = configuration.disk.map { DiskCache($0) }
        let shared = SharedCache(local: disk, stores: stores, configuration: sharing)
        let caches = ImageCaches(memory: configuration.memory, watch: configuration.memoryWatch, disk: shared)
        _ = await redis?.connected(within: .seconds(1))
        let manager = ImageManager(configuration: configuration, caches: caches, transport: transport)
        return Loader(manager: manager, caches: caches, shared: shared, redis: redis, disk: disk)
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
