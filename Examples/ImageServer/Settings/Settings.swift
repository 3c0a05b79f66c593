// SPDX-License-Identifier: MIT
import PlatformBasics
import RedisStore
import SignedAddresses
import WebImage

/// What the command line and the environment decide.
struct Settings: Sendable {
    var host = "127.0.0.1"
    var port: UInt16 = 8_080
    /// Listen on this Unix socket instead of the port.
    var socketPath: String?
    var metricsHost = "127.0.0.1"
    /// `nil` for no metrics.
    var metricsPort: UInt16? = 8_081

    var keys: [SigningKey] = []
    var allowsUnsigned = false
    var presets: [String: PictureOptions] = [:]
    var allowsPresetsOnly = false
    var allowedHosts: Set<String> = []
    var allowsAnyHost = false
    var allowedNetworks: [IPNetwork] = []

    var freshness = FreshnessRule()
    var errors = ErrorPictures()
    var cacheFolder: String?
    /// The limits of the folder; `nil` for those of the library.
    var cacheByteCount: Int?
    var cacheAge: Duration?
    /// What servers share; `nil` for nothing.
    var redis: RedisAddress?
    /// The service with buckets, what servers share in one, and the buckets with sources.
    var objects = ObjectSettings()
    var memoryByteCount: Int?
    var maximumByteCount = 50_000_000
    var maximumPixelCount = 50_000_000
    /// Which damage of an original is a failure.
    var failOn = DamagePolicy.truncated
    var sourceTimeout = Duration.seconds(20)
    var downloads = 32
    /// The downloads of one origin; `nil` for as many as ``downloads``.
    var connectionsPerOrigin: Int?
    var workers = ProcessorCount.available
    var queue = 500
    /// Connections to origins, with idle ones; `nil` for as many as a client takes by itself.
    var transfers: Int?

    /// Threads that take connections, each with its own socket on the same port.
    var loops = 1
    var limits = HTTPServer.Limits()
    var drainDelay = Duration.zero
    var drainTimeout = Duration.seconds(10)
    var writesLog = true
    var logsLoads = false
    var showsPage = false
    /// Whether the server shows itself with pictures of its own: when nothing says which sources are served.
    var isDemonstration: Bool { keys.isEmpty && !allowsUnsigned }

    /// The configuration of the loader.
    var manager: ImageManager.Configuration {
        var configuration = ImageManager.Configuration()
        configuration.disk = cacheFolder.map { DiskCache.Configuration(folder: $0) }
        if let cacheByteCount { configuration.disk?.maximumByteCount = cacheByteCount }
        if let cacheAge { configuration.disk?.maximumAge = cacheAge }
        if let memoryByteCount { configuration.memory = MemoryLimits(maximumCost: memoryByteCount) }
        configuration.downloader.maximumByteCount = maximumByteCount
        configuration.downloader.maximumConcurrentDownloads = downloads
        if let transfers { configuration.transport.maximumConnections = transfers }
        // Never all connections, so that one origin leaves some to others.
        let perOrigin = min(connectionsPerOrigin ?? downloads, max(1, (transfers ?? 2 * downloads) / 2))
        configuration.transport.maximumConnectionsPerHost = perOrigin
        configuration.downloader.maximumConcurrentDownloadsPerHost = perOrigin
        configuration.downloader.maximumQueueLength = queue
        // An original also waits for the pictures of others to be made, which is no sign of a slow origin.
        configuration.downloader.queueTimeout = max(sourceTimeout, .seconds(60))
        configuration.limits.maximumPixelCount = maximumPixelCount
        configuration.processingWidth = workers
        configuration.maximumProcessingQueueLength = queue
        configuration.transport.totalTimeout = sourceTimeout
        configuration.transport.idleTimeout = min(sourceTimeout, configuration.transport.idleTimeout)
        configuration.transport.connectTimeout = min(sourceTimeout, configuration.transport.connectTimeout)
        configuration.transport.addressPolicy = .publicInternet(allowing: allowedNetworks)
        // Judged for every redirect, too.
        if !allowedHosts.isEmpty { configuration.transport.addressPolicy.allowedHosts = allowedHosts }
        return configuration
    }

    /// What the server may open, of the descriptors that are free when its sockets are open.
    func shares(free: Int) -> DescriptorShares {
        let clientCount = 1 + (objects.sources.isEmpty ? 0 : 1) + (objects.store == nil ? 0 : 1)
        // A loop has two, a client four and a file of libcurl's, Redis a loop and its connections, a cache the
        // account of its folder.
        let fixed = 2 * loops + 5 * clientCount + (redis == nil ? 0 : 6) + (cacheFolder == nil ? 0 : 1)
        return DescriptorShares(
            free: free, fixed: fixed, connections: limits.connections, transfers: 2 * downloads,
            clientCount: clientCount)
    }

    var reader: AddressReader {
        AddressReader(
            keys: keys, allowsUnsigned: allowsUnsigned, presets: presets, allowsPresetsOnly: allowsPresetsOnly,
            buckets: objects.sources)
    }
}

/// A setting that is wrong.
struct SettingsError: Error, Equatable {
    /// Names the setting, and says what it takes.
    let message: String
}
