// SPDX-License-Identifier: MIT
import HTTPLoaders
import HTTPTransport
import PlatformBasics
import WebImage

/// Fetches a list of URLs: a window of loads at once, one outcome each.
struct Batch {
    private let options: Options
    private let jobs: [Job]
    private let screen: Screen
    var configuration: ImageManager.Configuration

    init(_ options: Options, _ jobs: [Job], _ screen: Screen) {
        self.options = options
        self.jobs = jobs
        self.screen = screen
        configuration = ImageManager.Configuration(options) { screen.warn($0) }
    }

    /// - Returns: The exit status.
    /// - Throws: `CancellationError`; ``UsageError`` when the output folder cannot be one.
    func run() async throws -> Int32 {
        let destination = try Destination(options)
        let sheet = try options.contactSheet.map { try SheetFile($0, jobs, overwrites: options.overwrites) }
        if options.action != .info { screen.begin(jobs) }
        var isWhole = false
        defer { screen.end(isWhole: isWhole) }
        let heads = HeadRecorder(transport)
        let manager = ImageManager(configuration: configuration, transport: heads)
        let loads = Loads(options, configuration, manager, heads, destination, screen, sheet)
        let failed: Int
        do {
            failed = try await options.action == .info ? describeAll(with: loads) : fetchAll(with: loads)
            if let path = try await sheet?.write() { screen.explain([path]) }
        } catch {
            _ = await manager.shutdown(within: configuration.shutdownGrace)
            throw error
        }
        _ = await manager.shutdown(within: configuration.shutdownGrace)
        try Task.checkCancellation()
        isWhole = true
        return failed == 0 && !screen.hasLostLines ? 0 : 1
    }

    /// The files of this machine, what came on standard input, and the network. No redirect leads to the first two.
    private var transport: any HTTPLoading {
        let input = jobs.lazy.compactMap { job in
            if case .input(let bytes) = job.local { bytes } else { nil }
        }.first
        return HTTPLoaderChain(
            FileLoader(roots: ["/"], maximumByteCount: configuration.downloader.maximumByteCount),
            BytesLoader(input.map { [LocalPicture.inputURL: .init($0)] } ?? [:]), network)
    }

    private var network: any HTTPLoading {
        let client = HTTPClient(configuration: configuration.transport)
        return options.retries > 0 ? RetryingLoader(client, policy: options.retryPolicy) : client
    }

    /// Twice as many loads as downloads, so that pictures are decoded while others arrive.
    private func fetchAll(with loads: Loads) async throws -> Int {
        try await withThrowingTaskGroup(of: (Job, Outcome).self) { group in
            var waiting = jobs.makeIterator()
            func startNext() {
                guard let job = waiting.next() else { return }
                group.addTask { (job, try await loads.outcome(of: job)) }
            }
            for _ in 0..<(2 * options.concurrency) { startNext() }
            var failed = 0
            while let (job, outcome) = try await group.next() {
                screen.show(outcome)
                for _ in 1..<job.count { screen.show(outcome.again) }
                if !outcome.succeeded { failed += job.count }
                startNext()
            }
            return failed
        }
    }

    /// In the order of the command line, with as many downloads at once as usual.
    private func describeAll(with loads: Loads) async throws -> Int {
        try await withThrowingTaskGroup(of: (Int, Result<PictureInfo, Outcome.Failure>).self) { group in
            var (next, shown, failed) = (0, 0, 0)
            var results: [Int: Result<PictureInfo, Outcome.Failure>] = [:]
            while shown < jobs.count {
                while next < min(jobs.count, shown + options.concurrency) {
                    group.addTask { [jobs, next] in
                        do {
                            return (next, .success(try await loads.info(of: jobs[next])))
                        } catch let failure as Outcome.Failure {
                            return (next, .failure(failure))
                        }
                    }
                    next += 1
                }
                if let (index, result) = try await group.next() { results[index] = result }
                while let result = results.removeValue(forKey: shown) {
                    screen.show(result, of: jobs[shown])
                    if case .failure = result { failed += jobs[shown].count }
                    shown += 1
                }
            }
            return failed
        }
    }
}

extension Options {
    /// As many tries as the user asks for, also of one host.
    var retryPolicy: RetryPolicy {
        var policy = RetryPolicy()
        policy.maximumAttempts = retries + 1
        policy.retriesPerHost = max(retries, policy.retriesPerHost)
        return policy
    }
}
