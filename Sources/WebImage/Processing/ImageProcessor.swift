// SPDX-License-Identifier: MIT
import ImageCoding
import TaskCoordination

/// Decodes, transforms and encodes pictures on a pool of threads, within one budget of bytes.
///
/// Work first waits for its share of the budget, then for a thread, both in the order of priority. Work with a share
/// only waits for a thread, and work with a thread waits for nothing, so there is no deadlock. The exception is a
/// picture that is encoded while its pixels hold a share; the overdraft serves it.
///
/// Decoding and transforming is one job, so the memory of a burst depends on the width of the pool, and not on the
/// number of loads.
final class ImageProcessor: Sendable {
    let coders: ImageCoders
    private let limits: ImageLimits
    private let maximumInlinePixelCount: Int
    let pool: WorkerPool
    /// A unit is a byte.
    let budget: Slots
    /// For work that cannot wait for the budget because it holds a part of it; one at a time.
    private let overdraft: Slots

    private let hub: ActivityHub

    init(_ configuration: ImageManager.Configuration, pool: WorkerPool, hub: ActivityHub) {
        self.hub = hub
        coders = configuration.coders
        maximumInlinePixelCount = configuration.maximumInlinePixelCount
        self.pool = pool
        let maximumQueueLength = configuration.maximumProcessingQueueLength
        budget = Slots(
            limit: configuration.maximumProcessingByteCount, maximumQueueLength: maximumQueueLength,
            name: "decoding memory")
        overdraft = Slots(limit: 1, maximumQueueLength: maximumQueueLength, name: "encoding memory")
        var limits = configuration.limits
        limits.maximumByteCount = min(limits.maximumByteCount, budget.limit)
        self.limits = limits
    }

    /// The number of jobs that wait for memory or for a thread.
    var queued: Int { budget.queued + overdraft.queued + pool.queued }
    /// The number of jobs that run.
    var running: Int { pool.running }
    /// The bytes of the budget that jobs and their results hold.
    var byteCount: Int { budget.running }

    /// The number of entries, of jobs and of their memory. For tests.
    var entryCount: Int { pool.entryCount + budget.entryCount + overdraft.entryCount }

    /// Refuses new and waiting jobs, and waits for the running ones.
    func shutdown() async {
        budget.close()
        overdraft.close()
        await pool.shutdown()
    }

    /// Refuses new and waiting jobs, and abandons the running ones.
    func abandon() {
        budget.close()
        overdraft.close()
        pool.abandon()
    }

    /// The number of threads in the pool.
    var threadCount: Int { pool.threadCount }
}

// MARK: - Decoding and transforming

extension ImageProcessor {
    /// The properties in the header, and the bytes that the work takes at its peak.
    private struct Estimate: Sendable {
        let properties: ImageProperties
        let byteCount: Int
    }

    /// Decodes a file as far as `request` needs it, and transforms the picture.
    ///
    /// - Parameter box: The box to decode it into instead of that of the first transformer, which then runs as any
    ///   other.
    /// - Throws: ``ImageError`` for a file that cannot be decoded; `CancellationError`; `CoordinationError`. The error
    ///   of a transformer is in the result, because the file is a picture all the same.
    func process(
        _ original: Original, for request: ImageRequest, thumbnail box: PixelSize? = nil
    ) async throws -> ProcessedOriginal {
        let job = job(original, request, box)
        if let done = try decodedAtOnce(job) { return done }
        let estimate = try await estimate(job)
        let share = try await share(of: estimate.byteCount, for: request)
        return try await pool.run { try job.run(estimate.properties, share: share) }
    }

    /// Decodes a file that was made here.
    func decode(_ bytes: [UInt8], for request: ImageRequest) async throws -> (DecodedImage, MemoryShare) {
        let (options, coders) = (DecodeOptions(limits: limits, scale: request.scale), coders)
        let share = try await share(of: coders.decodingByteCount(of: bytes, options: options), for: request)
        let image = try await pool.run { try coders.decode(bytes, options: options) }
        share.shrink(to: image.byteCount)
        return (image, share)
    }

    /// Transforms a picture that a cache keeps.
    func transform(
        _ image: DecodedImage, by transformers: [any ImageTransforming], for request: ImageRequest
    ) async throws -> (DecodedImage, MemoryShare, took: Duration) {
        let byteCount = ProcessingCost.transforming(image.size, frames: image.frameCount, by: transformers[...])
        let share = try await share(of: byteCount, for: request)
        let (result, took) = try await pool.run {
            let watch = Stopwatch()
            return (try TransformerPipeline(transformers).transform(image), watch.elapsed)
        }
        share.shrink(to: result.byteCount)
        return (result, share, took)
    }

    /// Transforms a picture that other loads need, too, and that holds a share.
    func transform(
        _ shared: ProcessedOriginal, by transformers: ArraySlice<any ImageTransforming>
    ) async throws -> ProcessedOriginal {
        guard !transformers.isEmpty, case .success(let image) = shared.picture else { return shared }
        let byteCount = ProcessingCost.transforming(image.size, frames: image.frameCount, by: transformers)
        try check(byteCount)
        let share = try await growth(byteCount, nil)
        return try await pool.run {
            let watch = Stopwatch()
            let picture = Result { try TransformerPipeline(Array(transformers)).transform(image) }
            if case .success(let picture) = picture { share.shrink(to: picture.byteCount) }
            return shared.with(picture, share, took: watch.elapsed)
        }
    }

    /// Applies the transformers of a request to an original that was decoded for several loads.
    ///
    /// The result has exactly the size that it has when the load is alone, whatever the size of the shared picture.
    func transform(_ shared: ProcessedOriginal, of request: ImageRequest) async throws -> ProcessedOriginal {
        let (leading, rest) = ResizeTransformer.leading(request.transformers)
        guard let leading, leading.mode == .fit else {
            return try await transform(shared, by: request.transformers[...])
        }
        let size = leading.resultSize(for: shared.properties.size)
        let exact: any ImageTransforming = ResizeTransformer(size: size, mode: .stretch)
        return try await transform(shared, by: ([exact] + rest)[...])
    }

    /// The size of the picture in a file, as its header says.
    func size(of original: Original, for request: ImageRequest) async throws -> PixelSize {
        let options = DecodeOptions(
            limits: limits(for: request), thumbnail: ResizeTransformer.leading(request.transformers).thumbnail)
        let coders = coders(for: request)
        let read = { @Sendable in try coders.properties(of: original.bytes, options: options).size }
        return original.bytes.count <= 65_536 ? try read() : try await pool.run(read)
    }

    func limits(for request: ImageRequest) -> ImageLimits {
        guard var limits = request.limits else { return limits }
        limits.maximumByteCount = min(limits.maximumByteCount, budget.limit)
        return limits
    }

    func coders(for request: ImageRequest) -> ImageCoders { request.coders?.part ?? coders }

    private func job(_ original: Original, _ request: ImageRequest, _ box: PixelSize?) -> DecodingJob {
        // The decoder does the work of a leading transformer that shrinks.
        let (leading, rest) = ResizeTransformer.leading(request.transformers)
        let options = DecodeOptions(
            limits: limits(for: request), firstFrameOnly: request.firstFrameOnly,
            thumbnail: box.map { .resize(to: $0) } ?? leading, byteBudget: request.byteBudget, scale: request.scale,
            failOn: request.failOn, declaredFormat: original.declaredFormat)
        return DecodingJob(
            original, coders(for: request), options, box == nil ? rest[...] : request.transformers[...])
    }

    /// A picture that is decoded faster than a thread wakes up; `nil` for any other.
    private func decodedAtOnce(_ job: DecodingJob) throws -> ProcessedOriginal? {
        let bytes = job.original.bytes
        guard job.transformers.isEmpty, bytes.count <= 4_096, maximumInlinePixelCount > 0,
            let properties = try? job.coders.properties(of: bytes), properties.frameCount == 1,
            properties.width * properties.height <= maximumInlinePixelCount
        else { return nil }
        return try job.run(properties, share: nil)
    }

    /// Reads the header, which takes long in a large file of many small parts.
    private func estimate(_ job: DecodingJob) async throws -> Estimate {
        let read = { @Sendable in
            let bytes = job.original.bytes
            let properties = try job.coders.properties(of: bytes, options: job.options)
            let decoding = try job.coders.decodingByteCount(of: bytes, options: job.options)
            let frames = job.options.firstFrameOnly ? 1 : properties.frameCount ?? 1
            let size = job.options.thumbnail?.resultSize(for: properties.size) ?? properties.size
            let transforming = ProcessingCost.transforming(size, frames: frames, by: job.transformers)
            return Estimate(properties: properties, byteCount: max(decoding, transforming))
        }
        return job.original.bytes.count <= 65_536 ? try read() : try await pool.run(read)
    }
}

// MARK: - Encoding

extension ImageProcessor {
    /// Encodes a picture as a file.
    ///
    /// - Parameters:
    ///   - image: The picture.
    ///   - format: The file to make.
    ///   - priority: `nil` for the calling task's own.
    ///   - share: The picture's share of the budget; `nil` when a cache keeps the picture.
    func encode(
        _ image: DecodedImage, as format: EncodedFormat, for request: ImageRequest, priority: TaskPriority? = nil,
        holding share: MemoryShare?
    ) async throws -> [UInt8] {
        let coders = coders(for: request)
        let byteCount = coders.encodingByteCount(of: image, as: format)
        try check(ProcessingCost.sum(image.byteCount, byteCount))
        let more =
            try await share == nil ? self.share(of: byteCount, for: request, priority) : growth(byteCount, priority)
        defer { withExtendedLifetime((share, more)) {} }
        return try await pool.run(priority: priority) { try coders.encode(image, as: format) }
    }
}

// MARK: - The budget

extension ImageProcessor {
    private func share(
        of byteCount: Int, for request: ImageRequest, _ priority: TaskPriority? = nil
    ) async throws -> MemoryShare {
        try check(byteCount)
        if let permit = budget.take(byteCount) { return MemoryShare(budget, permit) }
        hub.tally.memoryWaits.add()
        hub.tell(request, .waitingForMemory(byteCount: byteCount))
        return MemoryShare(budget, try await budget.acquire(priority: priority, units: byteCount))
    }

    /// A further share for work that already holds one. It must not wait for other work that may hold a share for the
    /// same reason, so it takes free bytes or the overdraft.
    private func growth(_ byteCount: Int, _ priority: TaskPriority?) async throws -> MemoryShare {
        if let permit = budget.take(byteCount) { return MemoryShare(budget, permit) }
        return MemoryShare(overdraft, try await overdraft.acquire(priority: priority))
    }

    private func check(_ byteCount: Int) throws(ImageError) {
        guard byteCount > budget.limit else { return }
        throw ImageError(
            code: .memoryLimitExceeded,
            message: "The work takes \(byteCount) bytes of memory, and all of it may take \(budget.limit).",
            advice: "Ask for a smaller picture, or raise the manager's `maximumProcessingByteCount`.")
    }
}
