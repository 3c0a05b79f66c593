// SPDX-License-Identifier: MIT
import CImageShims

/// The work of one decode so far, and whether it may continue.
///
/// Every loop with a length that depends on the file calls it, between rows, scans, frames and pieces of the file. So
/// no file occupies a thread for long after its task was cancelled, and no file does so forever.
final class DecodingWork {
    /// The pixels drawn so far, counting each scan, each pass and each frame.
    private(set) var drawnPixelCount = 0
    /// The number of looks.
    private(set) var lookCount = 0
    /// Why the work must end, for the Swift caller of a C function that was stopped.
    private(set) var end: (any Error)?
    /// Who else wants to know how far it is.
    let progress = DecodingProgress.current
    private let limits: ImageLimits
    private let byteCount: Int
    private let isCancelled: () -> Bool
    private let processorTime: () -> Int
    /// The processor time of this thread, in nanoseconds, at which the work must end. It is set at the eighth look:
    /// reading the clock is a system call, and most small pictures are done before.
    private var deadline: Int?

    /// Creates the work on a file, on the thread that does all of it.
    ///
    /// - Parameters:
    ///   - limits: How much work is allowed.
    ///   - byteCount: The length of the file.
    ///   - isCancelled: Called at every look.
    ///   - processorTime: The processor time of this thread so far, in nanoseconds.
    init(
        limits: ImageLimits, byteCount: Int, isCancelled: @escaping () -> Bool = { Task.isCancelled },
        processorTime: @escaping () -> Int = { Int(swi_processor_time()) }
    ) {
        self.limits = limits
        self.byteCount = byteCount
        self.isCancelled = isCancelled
        self.processorTime = processorTime
    }

    /// Counts pixels and checks whether the work may continue.
    ///
    /// - Parameters:
    ///   - pixels: The pixels that were drawn since the last look.
    ///   - isLongStep: Whether the step before may have taken milliseconds, so that the clock is worth reading.
    /// - Throws: `CancellationError`; ``ImageError`` with `.workLimitExceeded`.
    func look(pixels: Int = 0, isLongStep: Bool = false) throws {
        lookCount += 1
        drawnPixelCount = drawnPixelCount.saturatingAdd(pixels)
        if pixels > 0 { progress?.note(drawn: drawnPixelCount) }
        if isCancelled() { throw CancellationError() }
        guard drawnPixelCount <= limits.maximumDrawnPixelCount else { throw limits.tooMuchToDraw }
        if deadline == nil, lookCount >= 8 || isLongStep { startClock() }
        guard lookCount % 32 != 0 && !isLongStep || processorTime() <= deadline ?? .max else {
            throw ImageError(
                code: .workLimitExceeded,
                message:
                    "Decoding took more than \(limits.maximumProcessorTime) of the processor and 0.25 s a megabyte.")
        }
    }

    private func startClock() {
        // A quarter of a second a megabyte is 250 nanoseconds a byte.
        deadline = processorTime().saturatingAdd(byteCount.saturatingMultiply(250))
            .saturatingAdd(Int(clamping: max(limits.maximumProcessorTime, .zero).attoseconds / 1_000_000_000))
    }

    /// Excludes from the time work that does not depend on the file, such as the resizing of a frame.
    ///
    /// - Parameter pixels: The pixels that are worked on. More than may be held at once count: only the time bounds them.
    func excluding<Result>(pixels: Int = 0, _ body: () throws -> Result) rethrows -> Result {
        guard let deadline, pixels <= limits.maximumPixelCount else { return try body() }
        let start = processorTime()
        defer { self.deadline = deadline.saturatingAdd(processorTime() - start) }
        return try body()
    }

    /// Looks after every 64 KiB of a pass over the file.
    struct Walk {
        private let work: DecodingWork
        private var next = 65_536

        fileprivate init(_ work: DecodingWork) { self.work = work }

        mutating func reach(_ offset: Int) throws {
            if offset < next { return }
            next = offset.saturatingAdd(65_536)
            try work.look()
        }
    }

    /// Starts a pass at the beginning of the file.
    func walk() -> Walk { Walk(self) }
}

extension ImageLimits {
    /// The error of more pixels than may be drawn.
    var tooMuchToDraw: ImageError {
        ImageError(
            code: .workLimitExceeded,
            message: "More than \(maximumDrawnPixelCount) pixels to draw in all scans, passes and frames.")
    }
}

extension DecodingWork {
    /// Runs a C function with the look function and the context for its request.
    ///
    /// - Parameter body: Gets the function and its context, valid for the call.
    func lend<Result>(_ body: (swi_look, UnsafeMutableRawPointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(self) {
            // Kept alive until `body` returns, and used on this thread alone.
            try unsafe body(DecodingWork.lookFromC, Unmanaged.passUnretained(self).toOpaque())
        }
    }

    private static let lookFromC: swi_look = { context, pixels in
        let work = unsafe Unmanaged<DecodingWork>.fromOpaque(context).takeUnretainedValue()
        return work.mayGoOn(pixels: Int(pixels)) ? 0 : 1
    }

    /// Like ``look(pixels:)``, for callers that cannot throw; ``end`` is the error.
    func mayGoOn(pixels: Int = 0) -> Bool {
        do {
            try look(pixels: pixels)
            return true
        } catch {
            end = error
            return false
        }
    }
}

/// A decoder whose work can be watched.
protocol WatchedDecoding: ImageDecoding {
    /// Decodes a file, all of it as one work.
    func decode(_ bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork) throws -> DecodedImage
}

extension WatchedDecoding {
    func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
        try decode(bytes, options, DecodingWork(limits: options.limits, byteCount: bytes.count))
    }
}
