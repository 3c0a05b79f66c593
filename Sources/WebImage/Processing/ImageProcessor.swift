// SPDX-License-Identifier: MIT
import ImageCoding
import TaskCoordination

/// Decodes, transforms and encodes pictures on a pool of threads, within one budget of bytes.
///
/// What is made of originals is a ``PictureJob``. Other work, such as previews and the files of stored variants, takes
/// its turn in the same queue.
final class ImageProcessor: Sendable {
    let coders: ImageCoders
    let pool: WorkerPool
    let queue: JobQueue
    /// Whether a file that is made of an animation may be made frame by frame: memory keeps no frames of it.
    let streamsAnimations: Bool
    /// The most bytes of the frames of an animation that are decoded at once.
    let maximumHeldAnimationByteCount: Int
    private let limits: ImageLimits
    private let maximumInlinePixelCount: Int
    private let hub: ActivityHub

    init(_ configuration: ImageManager.Configuration, pool: WorkerPool, hub: ActivityHub) {
        (self.pool, self.hub) = (pool, hub)
        coders = configuration.coders
        maximumInlinePixelCount = configuration.maximumInlinePixelCount
        maximumHeldAnimationByteCount = configuration.maximumHeldAnimationByteCount
        streamsAnimations = !configuration.keepsPicturesOfFiles
        queue = JobQueue(
            width: pool.width, byteLimit: configuration.maximumProcessingByteCount,
            maximumQueueLength: configuration.maximumProcessingQueueLength)
        var limits = configuration.limits
        limits.maximumByteCount = min(limits.maximumByteCount, queue.byteLimit)
        self.limits = limits
    }

    /// The number of entries, of work and its threads. For tests.
    var entryCount: Int { pool.entryCount + queue.entryCount }
    /// The number of threads in the pool.
    var threadCount: Int { pool.threadCount }

    /// Refuses new and waiting work, and waits for what runs.
    func shutdown() async {
        queue.close()
        await pool.shutdown()
    }

    /// Refuses new and waiting work, and abandons what runs.
    func abandon() {
        queue.close()
        pool.abandon()
    }
}

// MARK: - How requests decode

extension ImageProcessor {
    func limits(for request: ImageRequest) -> ImageLimits {
        guard var limits = request.limits else { return limits }
        limits.maximumByteCount = min(limits.maximumByteCount, queue.byteLimit)
        return limits
    }

    func coders(for request: ImageRequest) -> ImageCoders { request.coders?.part ?? coders }

    /// The job that an output begins.
    func job(of source: PictureJob.Source, _ output: JobOutput) -> PictureJob {
        PictureJob(
            source: source, coders: coders(for: output.request), options: options(output.request, source),
            first: output)
    }

    private func options(_ request: ImageRequest, _ source: PictureJob.Source) -> DecodeOptions {
        var options = DecodeOptions(
            limits: limits(for: request), firstFrameOnly: request.firstFrameOnly, byteBudget: request.byteBudget,
            scale: request.scale, failOn: request.failOn, keepsColors: request.keepsColors)
        if case .file(let original) = source { options.declaredFormat = original.declaredFormat }
        return options
    }

    /// A picture that is decoded faster than a thread wakes up; `nil` for any other.
    func decodedAtOnce(_ original: Original, for request: ImageRequest) throws -> JobProduct? {
        let bytes = original.bytes
        guard bytes.count <= 4_096, request.transformers.isEmpty, maximumInlinePixelCount > 0,
            let properties = try? coders(for: request).properties(of: bytes), properties.frameCount == 1,
            properties.size.pixelCount <= maximumInlinePixelCount
        else { return nil }
        let watch = Stopwatch()
        let image = try coders(for: request).decode(bytes, options: options(request, .file(original)))
        // The result of a cancelled decoder is not usable.
        try Task.checkCancellation()
        return JobProduct(properties, original.generation, .success(image), decodeTook: watch.elapsed)
    }
}

// MARK: - Work beside the jobs

extension ImageProcessor {
    /// Decodes a file that was made here.
    func decode(_ bytes: [UInt8], for request: ImageRequest) async throws -> (DecodedImage, PictureShare) {
        let (options, coders) = (
            DecodeOptions(limits: limits, scale: request.scale, keepsColors: request.keepsColors), coders
        )
        return try await perform(coders.decodingByteCount(of: bytes, options: options), for: request) { turn in
            let image = try coders.decode(bytes, options: options)
            return (image, turn.share(of: image.byteCount))
        }
    }

    /// Encodes a picture for the disk, when nothing more urgent waits.
    func encode(_ image: DecodedImage, as format: EncodedFormat, for request: ImageRequest) async throws -> [UInt8] {
        let coders = coders(for: request)
        let byteCount = coders.encodingByteCount(of: image, as: format)
        return try await perform(byteCount, for: request, priority: .background) { _ in
            try coders.encode(image, as: format)
        }
    }

    /// Runs a body on a thread of the pool.
    ///
    /// - Parameters:
    ///   - byteCount: The memory that it takes at its peak.
    ///   - priority: `nil` for that of the calling task.
    func perform<T: Sendable>(
        _ byteCount: Int, for request: ImageRequest, priority: TaskPriority? = nil,
        _ body: @Sendable (JobQueue.Turn) throws -> T
    ) async throws -> T {
        if byteCount > queue.byteLimit { throw refusal(of: byteCount) }
        let turn = try await queue.turn(priority: priority)
        defer { turn.end() }
        if !turn.take(byteCount) {
            noteWait(byteCount, request)
            try await turn.wait(for: byteCount, priority: priority)
        }
        return try await pool.run(priority: priority) { try body(turn) }
    }

    /// Tells that work waits for its memory.
    func noteWait(_ byteCount: Int, _ request: ImageRequest) {
        hub.tally.memoryWaits.add()
        hub.tell(request, .waitingForMemory(byteCount: byteCount))
    }

    /// The error of work that takes more than all may take.
    func refusal(of byteCount: Int) -> ImageError {
        ImageError(
            code: .memoryLimitExceeded,
            message: "The work takes \(byteCount) bytes of memory, and all of it may take \(queue.byteLimit).",
            advice: "Ask for a smaller picture, or raise the manager's `maximumProcessingByteCount`.")
    }
}
