// SPDX-License-Identifier: MIT
import PlatformBasics
import WebImage

extension ImageManager.Configuration {
    /// Creates the manager's configuration from the command line.
    ///
    /// - Parameter onWarning: Called with failures of the disk cache.
    init(_ options: Options, onWarning: @escaping @Sendable (CacheError) -> Void) {
        self.init()
        downloader.maximumConcurrentDownloads = options.concurrency
        transport.maximumConnectionsPerHost = max(options.concurrency, transport.maximumConnectionsPerHost)
        transport.maximumConnections = max(options.concurrency, transport.maximumConnections)
        failureLifetime = .zero  // a URL is fetched once in a run
        if let bytes = options.maximumBytes { downloader.maximumByteCount = bytes }
        if let pixels = options.maximumPixels { limits.allow(pixels) }
        if options.allowsPrivate { transport.addressPolicy = .unrestricted }
        transport.proxy = options.proxy
        transport.proxyCredential = options.proxyCredential
        if options.isInsecure { transport.tls = .insecure }
        if let timeout = options.timeout {
            transport.totalTimeout = timeout
            transport.idleTimeout = min(timeout, transport.idleTimeout)
            transport.connectTimeout = min(timeout, transport.connectTimeout)
        }
        guard options.usesCache else {
            disk = nil
            return
        }
        if let cache = options.cache { disk?.folder = URL(filePath: cache).path }
        disk?.onWarning = onWarning
    }
}

extension ImageLimits {
    /// Sets the largest picture; for one beyond the usual, the memory and the time that it takes as well.
    fileprivate mutating func allow(_ pixels: Int) {
        let factor = max(1, Double(pixels) / Double(maximumPixelCount))
        func raised(_ limit: Int) -> Int { Int(min(1e18, Double(limit) * factor)) }
        maximumPixelCount = pixels
        maximumAnimationPixelCount = raised(maximumAnimationPixelCount)
        maximumByteCount = raised(maximumByteCount)
        maximumDrawnPixelCount = raised(maximumDrawnPixelCount)
        maximumProcessorTime *= Int(min(factor.rounded(.up), 1_000))
    }
}
