// SPDX-License-Identifier: MIT
import HTTPTransport
public import PlatformBasics
import TaskCoordination

/// Loads pictures into the caches before they are requested.
///
/// ```swift
/// let prefetcher = ImagePrefetcher(manager: manager)
/// let token = await prefetcher.start(urls)
/// for await progress in token.updates { print(progress.endedCount, "of", progress.totalCount) }
/// ```
///
/// What callers may rely on:
///
/// - Every request of a list is counted once, as finished, failed or cancelled. A list always ends, also when it is
///   stopped.
/// - A few loads run at once, over all lists, and the lists take turns. Equal requests of different lists share a load
///   and its place; stopping one list does not disturb the other. Requests with ``ImageRequest/retry`` or
///   ``ImageRequest/alternatives`` have a place each, and share transfers.
/// - A request that has not begun takes no memory of its own: a list of 100,000 costs what its caller's collection
///   costs.
/// - A load that a caller waits for goes before prefetching in every queue, and shares the transfer of the same
///   picture.
///
/// **Isolation**: an actor; loads run outside it.
/// **Cancellation**: a prefetcher without references stops everything.
public actor ImagePrefetcher {
    private struct Job: Sendable {
        let id: UInt64
        let url: URL
        let task: Task<Void, Never>
        /// The number of requests of each list that share it.
        var subscribers: [Token: Int]
    }

    private let manager: ImageManager
    private var configuration: Configuration
    private var queue = PrefetchQueue()
    private var jobs: [LoadKey: Job] = [:]
    /// The cancelled loads that have not returned. They still hold their places.
    private var unwinding: [UInt64: Task<Void, Never>] = [:]
    private var active: Set<Token> = []
    private var lastID: UInt64 = 0
    private var isClosed = false

    /// Whether new loads are held back.
    public private(set) var isPaused = false

    /// Creates a prefetcher.
    ///
    /// - Parameters:
    ///   - manager: Loads the pictures and owns the caches; it is not shut down with the prefetcher.
    ///   - configuration: The limits and the priority.
    public init(manager: ImageManager, configuration: Configuration = .init()) {
        self.manager = manager
        self.configuration = configuration
    }

    deinit {
        for job in jobs.values { job.task.cancel() }
        for token in active { token.end() }
    }

    /// The lists that have not ended.
    public var tokens: Set<Token> { active }

    /// The number of running loads; cancelled ones count until they have returned.
    var loadCount: Int { jobs.count + unwinding.count }

    /// The number of entries of any kind: lists, lists with requests left, and loads. For tests.
    var entryCount: Int { active.count + queue.count + loadCount }
}

// MARK: - Lists

extension ImagePrefetcher {
    /// Begins to prefetch a list and returns at once.
    ///
    /// - Parameter requests: The pictures to load, in this order. The priorities of the requests are ignored.
    /// - Returns: The list's token. An empty list is over at once. After ``shutdown()``, and when a request modifier or
    ///   a transport of the same manager calls, every request is counted as cancelled.
    /// - Complexity: That of `count`.
    @discardableResult
    public func start(_ requests: sending some Collection<ImageRequest>) -> Token {
        begin(requests) { $0 }
    }

    /// Begins to prefetch the pictures at `urls` and returns at once.
    ///
    /// - Returns: The list's token. An empty list is over at once. After ``shutdown()`` every request is counted as
    ///   cancelled.
    @discardableResult
    public func start(_ urls: sending some Collection<URL>) -> Token {
        begin(urls) { ImageRequest($0) }
    }

    /// Prefetches a list and waits for its end.
    ///
    /// **Cancellation**: stops the list; the report counts abandoned requests as cancelled.
    public func prefetch(_ requests: sending some Collection<ImageRequest>) async -> Report {
        await report(of: start(requests))
    }

    /// Prefetches the pictures at `urls` and waits for the end.
    ///
    /// **Cancellation**: stops the list; the report counts abandoned requests as cancelled.
    public func prefetch(_ urls: sending some Collection<URL>) async -> Report {
        await report(of: start(urls))
    }

    /// Stops a list: requests that have not ended are counted as cancelled, and loads that no other list shares are
    /// cancelled.
    ///
    /// A list that has ended, or belongs to another prefetcher, is ignored.
    public func stop(_ token: Token) {
        guard active.remove(token) != nil else { return }
        queue.remove(token)
        for key in jobs.keys.filter({ jobs[$0]?.subscribers[token] != nil }) { leave(key, token) }
        token.end()
        fill()
    }

    /// Stops every list.
    public func stopAll() {
        // First, so that the places of one list do not go to the next.
        queue = PrefetchQueue()
        for token in active { stop(token) }
    }

    private func begin<Items: Collection>(
        _ items: Items, _ request: @escaping (Items.Element) -> ImageRequest
    ) -> Token {
        let token = Token(totalCount: items.count)
        if isClosed || TransferScope.isInside(manager.downloader) { token.end() }
        guard !token.progress.isOver else { return token }
        active.insert(token)
        queue.add(items, for: token, request)
        fill()
        return token
    }

    private func report(of token: Token) async -> Report {
        if await token.progress(when: \.isOver) == nil { stop(token) }
        return token.report
    }
}

// MARK: - Pausing and ending

extension ImagePrefetcher {
    /// Holds back new loads. Running loads continue.
    public func pause() { isPaused = true }

    /// Continues after ``pause()``.
    public func resume() {
        isPaused = false
        fill()
    }

    /// Stops every list, takes no new ones, and waits until no load is left.
    ///
    /// **Cancellation**: ignored; loads end at once when they are cancelled.
    public func shutdown() async {
        isClosed = true
        stopAll()
        while let task = unwinding.values.first { await task.value }
    }
}

// MARK: - Loads

extension ImagePrefetcher {
    /// Changes the priority of the loads that begin later. Those that run are raised to it, and not lowered.
    public func setPriority(_ priority: ImagePriority) {
        configuration.priority = priority
        for job in jobs.values { job.task.escalatePriority(to: priority.taskPriority) }
    }
}

extension ImagePrefetcher {
    private func fill() {
        let limit = max(1, configuration.maximumConcurrentLoads)
        while !isPaused, loadCount < limit, let (request, token) = queue.popFirst() {
            subscribe(token, to: request)
        }
    }

    private func subscribe(_ token: Token, to request: ImageRequest) {
        var request = request
        request.priority = configuration.priority
        request.cacheWrites = request.cacheWrites.intersection(configuration.destination)
        var format: OutputFormat?
        switch configuration.outcome {
        case .picture: break
        case .file(let chosen): format = chosen
        case .download:
            (request.transformers, request.firstFrameOnly, format) = ([], false, .original)
            request.changeParts { $0.provesOriginal = false }
        }
        let key = LoadKey(
            request, variant: format.map { request.fileKey($0) } ?? request.variantKey,
            of: request.triesAgain ? Shared(()) : nil)
        if jobs[key] == nil { jobs[key] = takeOff(request, as: format, key) }
        jobs[key]?.subscribers[token, default: 0] += 1
    }

    /// Unstructured because the load serves several lists and outlives the call that started it. The table owns it: the
    /// last list to leave and `deinit` cancel it, ``shutdown()`` awaits it. It holds the prefetcher weakly, so that a
    /// prefetcher without references is released and cancels it.
    private func takeOff(_ request: ImageRequest, as format: OutputFormat?, _ key: LoadKey) -> Job {
        lastID += 1
        let id = lastID
        let priority = configuration.priority.taskPriority
        // A list's load may begin in a call from inside a transfer. It does not belong to that transfer.
        let task = RequestTurn.$giver.withValue(nil) {
            Task(name: "prefetch", executorPreference: manager.pipeline.executor, priority: priority) {
                [weak self, manager] in
                let result: Result<Void, any Error>
                do {
                    if let format {
                        _ = try await manager.encodedImage(for: request, as: format)
                    } else {
                        _ = try await manager.load(request)
                    }
                    result = .success(())
                } catch {
                    result = .failure(error)
                }
                await self?.land(key, id, result)
            }
        }
        return Job(id: id, url: request.url, task: task, subscribers: [:])
    }

    private func land(_ key: LoadKey, _ id: UInt64, _ result: Result<Void, any Error>) {
        // An abandoned load must not count for the one that took its place.
        if unwinding.removeValue(forKey: id) == nil, let job = jobs.removeValue(forKey: key) {
            for (token, count) in job.subscribers {
                token.count(result, of: job.url, times: count)
                if token.progress.isOver { active.remove(token) }
            }
        }
        fill()
    }

    private func leave(_ key: LoadKey, _ token: Token) {
        jobs[key]?.subscribers[token] = nil
        guard let job = jobs[key], job.subscribers.isEmpty else { return }
        jobs[key] = nil
        unwinding[job.id] = job.task
        job.task.cancel()
    }
}
