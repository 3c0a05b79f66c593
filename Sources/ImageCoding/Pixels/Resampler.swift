/// Resizes premultiplied RGBA bitmaps with Lanczos, one source row at a time.
///
/// Calculates in `Float` and rounds once. The filter runs on sRGB values, as browsers and other image servers do. It
/// takes a few rows of memory in addition to the two bitmaps. One resampler serves any number of frames of one size.
struct Resampler: Sendable {
    private let source: PixelSize
    private let target: PixelSize
    private let across: ResamplingTaps
    private let down: ResamplingTaps
    /// The largest number of unfinished output rows at once.
    private let liveRows: Int

    /// Creates a resampler for a part of the source.
    ///
    /// - Parameters:
    ///   - source: Size of the source bitmaps.
    ///   - window: The part that becomes the output, in source pixels.
    ///   - target: Size of the results.
    init(source: PixelSize, window: ResamplingWindow, target: PixelSize) {
        self.init(
            source: source, target: target,
            across: ResamplingTaps(
                source: source.width, start: window.x, length: window.width, target: target.width),
            down: ResamplingTaps(
                source: source.height, start: window.y, length: window.height, target: target.height))
    }

    /// Creates a resampler from the weights of both directions.
    init(source: PixelSize, target: PixelSize, across: ResamplingTaps, down: ResamplingTaps) {
        self.source = source
        self.target = target
        self.across = across
        self.down = down
        var most = 1
        var oldest = 0
        for row in 0..<target.height {
            while down.first[oldest] + down.count[oldest] <= down.first[row] { oldest += 1 }
            most = max(most, row - oldest + 1)
        }
        liveRows = most
    }

    /// Creates a resampler for whole bitmaps.
    init(source: PixelSize, target: PixelSize) {
        self.init(source: source, window: .whole(source), target: target)
    }

    /// Resizes one bitmap.
    ///
    /// - Throws: `CancellationError`, checked between rows.
    /// - Complexity: O(source pixels * (1 + target width * taps / source width)).
    func resample(_ pixels: [UInt8]) throws -> [UInt8] {
        precondition(pixels.count == source.width * source.height * 4)
        return try unsafe Bitmap.draw(target) { output in
            try unsafe pixels.withUnsafeBufferPointer { input in
                try unsafe run(from: input, to: output)
            }
        }
    }

    private func run(from input: UnsafeBufferPointer<UInt8>, to output: UnsafeMutableBufferPointer<UInt8>) throws {
        let width = target.width
        var row = [SIMD4<Float>](repeating: .zero, count: source.width)
        var narrowed = [SIMD4<Float>](repeating: .zero, count: width)
        var sums = [SIMD4<Float>](repeating: .zero, count: width * liveRows)
        var finished = 0
        for y in down.first[0]..<source.height where finished < target.height {
            if y % 16 == 0 { try Task.checkCancellation() }
            unsafe Resampler.widen(input, from: y * source.width * 4, into: &row)
            narrow(row, into: &narrowed)
            var index = finished
            while index < target.height, down.first[index] <= y {
                let tap = y - down.first[index]
                if tap < down.count[index] {
                    let weight = down.weights[index * down.stride + tap]
                    Resampler.add(narrowed, times: weight, to: &sums, at: index % liveRows * width)
                }
                index += 1
            }
            while finished < target.height, down.first[finished] + down.count[finished] <= y + 1 {
                unsafe Resampler.emit(
                    &sums, at: finished % liveRows * width, to: output, from: finished * width * 4, count: width)
                finished += 1
            }
        }
    }

    private static func widen(
        _ input: UnsafeBufferPointer<UInt8>, from offset: Int, into row: inout [SIMD4<Float>]
    ) {
        unsafe row.withUnsafeMutableBufferPointer { row in
            var at = offset
            for x in row.indices {
                let pixel = unsafe SIMD4(input[at], input[at + 1], input[at + 2], input[at + 3])
                unsafe row[x] = SIMD4<Float>(pixel)
                at += 4
            }
        }
    }

    private func narrow(_ row: [SIMD4<Float>], into narrowed: inout [SIMD4<Float>]) {
        unsafe row.withUnsafeBufferPointer { row in
            unsafe narrowed.withUnsafeMutableBufferPointer { narrowed in
                unsafe across.weights.withUnsafeBufferPointer { weights in
                    for x in narrowed.indices {
                        let first = across.first[x]
                        let count = across.count[x]
                        let start = x * across.stride
                        // Four sums, so that an addition does not depend on the one before. `addProduct` would call
                        // `fma` in libm on plain x86-64.
                        var sum0 = SIMD4<Float>.zero
                        var sum1 = SIMD4<Float>.zero
                        var sum2 = SIMD4<Float>.zero
                        var sum3 = SIMD4<Float>.zero
                        var tap = 0
                        while tap + 3 < count {
                            unsafe sum0 = sum0 + row[first + tap] * weights[start + tap]
                            unsafe sum1 = sum1 + row[first + tap + 1] * weights[start + tap + 1]
                            unsafe sum2 = sum2 + row[first + tap + 2] * weights[start + tap + 2]
                            unsafe sum3 = sum3 + row[first + tap + 3] * weights[start + tap + 3]
                            tap += 4
                        }
                        while tap < count {
                            unsafe sum0 = sum0 + row[first + tap] * weights[start + tap]
                            tap += 1
                        }
                        unsafe narrowed[x] = (sum0 + sum1) + (sum2 + sum3)
                    }
                }
            }
        }
    }

    private static func add(
        _ row: [SIMD4<Float>], times weight: Float, to sums: inout [SIMD4<Float>], at offset: Int
    ) {
        unsafe row.withUnsafeBufferPointer { row in
            unsafe sums.withUnsafeMutableBufferPointer { sums in
                for x in row.indices { unsafe sums[offset + x] = sums[offset + x] + row[x] * weight }
            }
        }
    }

    /// Rounds a finished row and clears its sums for the next one.
    ///
    /// The filter overshoots at edges: channels are clamped to their range, and colours to their alpha, as
    /// premultiplied pixels require.
    private static func emit(
        _ sums: inout [SIMD4<Float>], at offset: Int, to output: UnsafeMutableBufferPointer<UInt8>, from start: Int,
        count: Int
    ) {
        unsafe sums.withUnsafeMutableBufferPointer { sums in
            for x in 0..<count {
                var value = unsafe sums[offset + x] + 0.5
                unsafe sums[offset + x] = .zero
                value.replace(with: 0, where: value .< 0)
                value.replace(with: 255, where: value .> 255)
                value.replace(with: value.w, where: value .> value.w)
                // One by one: the conversion of whole vectors is not inlined and five times slower.
                let at = start + x * 4
                unsafe output[at] = UInt8(truncatingIfNeeded: Int32(value.x))
                unsafe output[at + 1] = UInt8(truncatingIfNeeded: Int32(value.y))
                unsafe output[at + 2] = UInt8(truncatingIfNeeded: Int32(value.z))
                unsafe output[at + 3] = UInt8(truncatingIfNeeded: Int32(value.w))
            }
        }
    }
}
