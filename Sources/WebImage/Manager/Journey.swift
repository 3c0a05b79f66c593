import ImageCoding
import Synchronization
import TaskCoordination

/// One flight of the manager, from the caches to the origin and back. Made once however many callers wait for it.
///
/// An object, so that its stages share what they know without handing it on. Each runs off the manager's actor; pixels
/// are touched only on the processing pool.
final class Journey: Sendable {
    let manager: ImageManager
    let request: ImageRequest
    let key: LoadKey
    /// The transfer that is waited for before there is a task, when there is nowhere to look but the origin.
    let arrival: InFlight<RequestIdentity, Download, LoadProgress>.Predecessor?
    /// Runs since the caller asked who started this.
    let watch: Stopwatch
    /// `nil` when that of the transfer will do, which names its content as this journey does: most loads only wait for
    /// it, and many are cancelled while they do. Nothing else than what the transfer brings is kept then.
    private let visit: NewestContent.Visit?
    private let noted = Mutex(LoadMetrics())

    init(
        _ manager: ImageManager, _ request: ImageRequest, _ key: LoadKey, _ start: inout FlightStart<LoadProgress>,
        _ watch: Stopwatch
    ) throws {
        self.manager = manager
        self.request = request
        self.key = key
        self.watch = watch
        let isForOrigin = manager.isForOrigin(request, key)
        let sharesVisit = isForOrigin && request.cacheKey == nil
        visit = sharesVisit ? nil : NewestContent.Visit(manager.newest, request.originalKey)
        arrival = isForOrigin ? try manager.downloader.predecessor(request, of: &start, waiting: watch) : nil
    }

    /// How long the stages took so far.
    var metrics: LoadMetrics { noted.withLock { $0 } }

    /// Notes how long a stage took.
    func note(_ change: (inout sending LoadMetrics) -> Void) { noted.withLock { change(&$0) } }

    /// Whether the picture has a name of its own in the caches, beside the original's.
    var isVariant: Bool { !key.wantsOriginal && key.variant != request.originalKey }

    typealias Report = @Sendable (LoadProgress) -> Void

    @concurrent func run(_ report: @escaping Report) async throws -> ImageResponse {
        // An earlier flight may have landed between the caller's look into memory and this one's start.
        if !key.wantsOriginal, let hit = manager.remembered(request, key.variant) { return hit }
        if !request.retriesFailed { try manager.failures.check(key) }
        do {
            let response = try await travel(report)
            if request.retriesFailed { manager.failures.forget(key) }
            return response
        } catch {
            // A coder or transport that is cut short may call the file broken.
            try Task.checkCancellation()
            manager.failures.record(error, for: key)
            throw error
        }
    }

    private func travel(_ report: @escaping Report) async throws -> ImageResponse {
        if isVariant, let stored = try await storedVariant() {
            remember(stored)
            return stored
        }
        let response =
            if isVariant, let variant = try await variantOfMemory() { variant } else {
                try await finished(original(report))
            }
        try Task.checkCancellation()
        // Memory first, then landing: whoever comes after the landing finds the picture, and nobody downloads twice.
        remember(response)
        await store(response)
        return response
    }
}
