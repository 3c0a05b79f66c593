import ImageCoding
import Synchronization
import TaskCoordination

/// The load of one picture: look up, fetch, decode and transform, store. A flight makes one, however many callers wait.
///
/// An object, so that its stages share their state. Pixels are touched only on the processing pool.
final class PictureLoad: Sendable {
    let pipeline: Pipeline
    let request: ImageRequest
    let key: LoadKey
    /// The transfer that the flight waits for before it has a task, when only the origin can have the picture.
    let transfer: InFlight<RequestIdentity, Download, LoadProgress>.Predecessor?
    /// Runs since the call that started this load.
    let watch: Stopwatch
    /// `nil` when the claim of the transfer suffices, because it has the same name. Most loads only wait for a
    /// transfer, and many are cancelled meanwhile. Without a claim of its own, a load stores nothing but the content of
    /// the transfer.
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

    /// Whether only the origin can have the picture.
    static func isForOrigin(_ pipeline: Pipeline, _ request: ImageRequest, _ key: LoadKey) -> Bool {
        guard pipeline.waitsWithoutTask, request.cachePolicy != .onlyIfCached else { return false }
        if !request.retriesFailed, pipeline.failures.contains(key) { return false }
        if request.cachePolicy == .reload { return true }
        if request.readsDisk, pipeline.disk != nil { return false }
        return key.variant == request.originalKey || pipeline.remembered(request, request.originalKey) == nil
    }

    /// The durations of the stages so far.
    var metrics: LoadMetrics { noted.withLock { $0 } }

    /// Notes the duration of a stage.
    func note(_ change: (inout sending LoadMetrics) -> Void) { noted.withLock { change(&$0) } }

    /// Runs all stages.
    @concurrent func run(_ report: @escaping Pipeline.Report) async throws -> ImageResponse {
        // An earlier flight may have landed after the caller's look into memory and before the start of this one.
        if !key.wantsOriginal, let hit = pipeline.remembered(request, key.variant) { return hit }
        if !request.retriesFailed { try pipeline.failures.check(key) }
        do {
            let response = try await picture(report)
            if request.retriesFailed { pipeline.failures.forget(key) }
            return response
        } catch {
            // A coder or a transport that is cancelled may report a broken file.
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
        // Memory first, then the landing: a caller after the landing finds the picture, so nothing is downloaded twice.
        remember(response)
        await store(response)
        return response
    }
}
