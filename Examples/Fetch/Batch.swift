import Foundation
import WebImage

/// Fetches a list of URLs: a window of loads at once, one outcome each.
struct Batch {
    private let options: Options
    private let jobs: [Job]
    private let screen: Screen

    init(_ options: Options, _ jobs: [Job], _ screen: Screen) {
        self.options = options
        self.jobs = jobs
        self.screen = screen
    }

    /// - Returns: The exit status.
    /// - Throws: `CancellationError`; an error when the output folder cannot be made.
    func run() async throws -> Int32 {
        let folder = try OutputFolder(options.output)
        screen.begin(count: jobs.count)
        defer { screen.end() }
        let failed = try await withImageManager(configuration) { manager in
            try await fetchAll(with: manager, into: folder)
        }
        try Task.checkCancellation()
        return failed == 0 ? 0 : 1
    }

    /// Twice as many loads as downloads, so that pictures are decoded while others arrive.
    private func fetchAll(with manager: ImageManager, into folder: OutputFolder) async throws -> Int {
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            var waiting = jobs.makeIterator()
            func startNext() {
                guard let job = waiting.next() else { return }
                group.addTask { try await outcome(of: job, with: manager, into: folder) }
            }
            for _ in 0..<(2 * options.concurrency) { startNext() }
            var failed = 0
            while let outcome = try await group.next() {
                screen.show(outcome)
                if !outcome.succeeded { failed += 1 }
                startNext()
            }
            return failed
        }
    }

    private func outcome(of job: Job, with manager: ImageManager, into folder: OutputFolder) async throws -> Outcome {
        let clock = ContinuousClock()
        let start = clock.now
        let result: Result<Outcome.Picture, Outcome.Failure>
        do {
            result = .success(try await fetch(job, with: manager, into: folder))
        } catch let error as CancellationError {
            throw error
        } catch {
            result = .failure(Outcome.Failure(error))
        }
        let milliseconds = Int((clock.now - start) / .milliseconds(1))
        return Outcome(url: job.text, milliseconds: milliseconds, result: result)
    }

    private func fetch(
        _ job: Job, with manager: ImageManager, into folder: OutputFolder
    ) async throws -> Outcome.Picture {
        guard let url = URL(string: job.text) else {
            throw Outcome.Failure(code: "invalidURL", message: "This is not a URL.")
        }
        var request = ImageRequest(url)
        request.cacheKey = job.cacheKey
        if let resize = options.resize { request.transformers = [.resize(to: resize.size, mode: resize.mode)] }
        if options.refreshes { request.cachePolicy = .revalidate }
        let bar = screen.bar(for: job.text)
        defer { bar.remove() }
        let file = try await manager.data(for: request, as: options.format) { bar.update($0) }
        let path = try await folder.write(file, key: job.cacheKey ?? job.text, url: url)
        return Outcome.Picture(
            source: file.source, format: file.format, width: file.width, height: file.height,
            frames: file.frameCount, bytes: file.bytes.count, file: path)
    }
}

extension Batch {
    private var configuration: ImageManager.Configuration {
        var configuration = ImageManager.Configuration()
        configuration.downloader.maximumConcurrentDownloads = options.concurrency
        configuration.failureLifetime = .zero  // a list is fetched once, and each line deserves its own answer
        if let bytes = options.maximumBytes { configuration.downloader.maximumByteCount = bytes }
        if let pixels = options.maximumPixels { configuration.limits.maxPixels = pixels }
        if options.allowsPrivate { configuration.transport.addressPolicy = .unrestricted }
        if options.isInsecure { configuration.transport.tls = .insecure }
        if let timeout = options.timeout {
            configuration.transport.totalTimeout = timeout
            configuration.transport.idleTimeout = min(timeout, configuration.transport.idleTimeout)
            configuration.transport.connectTimeout = min(timeout, configuration.transport.connectTimeout)
        }
        if !options.usesCache {
            configuration.disk = nil
        } else {
            if let cache = options.cache { configuration.disk?.folder = URL(filePath: cache).path }
            let screen = screen
            configuration.disk?.onWarning = { screen.complain("\($0)") }
        }
        return configuration
    }
}
