import ImageCoding
import Synchronization
import TaskCoordination

/// The way of one picture: look up, fetch, decode and transform, keep. Made once for a flight, however many callers wait.
///
/// An object, so that its stages share what they know without handing it on. Pixels are touched only on the processing
/// pool.
final class PictureLoad: Sendable {
    let pipeline: Pipeline
    let request: ImageRequest
    let key: LoadKey
    /// The transfer that is waited for before there is a task, when there is nowhere to look but the origin.
    let transfer: InFlight<RequestIdentity, Download, LoadProgress>.Predecessor?
    /// Runs since the caller asked that started this.
    let watch: Stopwatch
    /// `nil` when the transfer's does, which names its content as this load does: most loads only wait for it, and many
    /// are cancelled while they do. Nothing else than what the transfer brings is kept then.
    private let claim: ContentOrder.Claim?
    private let noted = Mutex(LoadMetrics())

    init(
        _ pipeline: Pipeline, _ request: ImageRequest, _ key: LoadKey, _ start: inout FlightStart<LoadProgress>,
        _ watch: Stopwatch
    ) throws {
        self.pipeline = pipeline
        self.request = request
        self.key = key
        self.watch = watch
        let isForOrigin = Self.isForOrigin(pipeline, request, key)
        let sharesClaim = isForOrigin && request.cacheKey == nil
        claim = sharesClaim ? nil : ContentOrder.Claim(pipeline.cache.order, request.originalKey)
        transfer = isForOrigin ? try pipeline.downloader.predecessor(request, of: &start, waiting: watch) : nil
    }

    /// Whether there is nowhere to look but the origin.
    static func isForOrigin(_ pipeline: Pipeline, _ request: ImageRequest, _ key: LoadKey) -> Bool {
        guard pipeline.waitsWithoutTask, request.cachePolicy != .onlyIfCached else { return false }
        if !request.retriesFailed, pipeline.failures.contains(key) { return false }
        if request.cachePolicy == .reload { return true }
        if request.readsDisk, pipeline.disk != nil { return false }
        return key.variant == request.originalKey || pipeline.remembered(request, request.originalKey) == nil
    }

    /// How long the stages took so far.
    var metrics: LoadMetrics { noted.withLock { $0 } }

    /// Notes how long a stage took.
    func note(_ change: (inout sending LoadMetrics) -> Void) { noted.withLock { change(&$0) } }

    /// The whole way.
    @concurrent func run(_ report: @escaping Pipeline.Report) async throws -> ImageResponse {
        // An earlier flight may have landed between the caller's look into memory and this one's start.
        if !key.wantsOriginal, let hit = pipeline.remembered(request, key.variant) { return hit }
        if !request.retriesFailed { try pipeline.failures.check(key) }
        do {
            let response = try await picture(report)
            if request.retriesFailed { pipeline.failures.forget(key) }
            return response
        } catch {
            // A coder or transport that is cut short may call the file broken.
            try Task.checkCancellation()
            pipeline.failures.record(error, for: key)
            throw error
        }
    }

    private func picture(_ report: @escaping Pipeline.Report) async throws -> ImageResponse {
        if let stored = try await storedVariant() {
            remember(stored)
            return stored
        }
        let response =
            if let variant = try await variantOfMemory() { variant } else {
                try await finished(original(report))
            }
        try Task.checkCancellation()
        // Memory first, then the landing: a caller that comes after the landing finds the picture, so nothing is
        // downloaded twice.
        remember(response)
        await store(response)
        return response
    }
}
