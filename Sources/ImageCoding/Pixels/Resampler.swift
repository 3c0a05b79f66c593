// SPDX-License-Identifier: MIT
import CImageShims

/// Resizes premultiplied RGBA bitmaps with Lanczos, one row of the result at a time.
///
/// Calculates in whole numbers of 16 bits and more, and rounds once. The filter runs on sRGB values, as browsers and
/// other image servers do, or on light, in numbers of 32 bits. It takes a row of memory in addition to the two bitmaps;
/// for light, as many narrow rows as a row of the result depends on. One resampler serves any number of frames of one
/// size.
struct Resampler: Sendable {
    let source: PixelSize
    let target: PixelSize
    private let across: ResamplingTaps
    private let acrossFourfold: [Int16]
    private let down: ResamplingTaps
    /// How many bits after the point a sample keeps between the two directions.
    private let fraction: Int
    /// The largest number of source rows for a row of the result.
    let reach: Int
    private let inLinearLight: Bool

    /// Creates a resampler for a part of the source.
    ///
    /// - Parameters:
    ///   - source: Size of the source bitmaps.
    ///   - window: The part that becomes the output, in source pixels.
    ///   - target: Size of the results.
    ///   - inLinearLight: Whether the filter adds up light instead of sRGB values.
    init(source: PixelSize, window: ResamplingWindow, target: PixelSize, inLinearLight: Bool = false) {
        self.init(
            source: source, target: target, inLinearLight: inLinearLight,
            across: ResamplingTaps(
                source: source.width, start: window.x, length: window.width, target: target.width,
                peak: Int(Int16.max)),
            down: ResamplingTaps(
                source: source.height, start: window.y, length: window.height, target: target.height,
                peak: Int(UInt8.max)))
    }

    /// Creates a resampler that blurs with a Gaussian filter and keeps the size.
    init(size: PixelSize, gaussian sigma: Double) {
        self.init(
            source: size, target: size,
            across: ResamplingTaps(gaussian: sigma, count: size.width, peak: Int(Int16.max)),
            down: ResamplingTaps(gaussian: sigma, count: size.height, peak: Int(UInt8.max)))
    }

    private init(
        source: PixelSize, target: PixelSize, inLinearLight: Bool = false, across: ResamplingTaps, down: ResamplingTaps
    ) {
        self.inLinearLight = inLinearLight
        self.source = source
        self.target = target
        self.across = across
        self.down = down
        acrossFourfold = across.fourfold
        var bits = 6
        while bits > 0, down.gain * 255 * Double(1 << bits) > Double(Int16.max) { bits -= 1 }
        fraction = bits
        reach = down.reach
    }

    /// Resizes one bitmap.
    ///
    /// - Parameter shouldStop: Called every fraction of a millisecond.
    /// - Throws: `CancellationError` when it says so.
    /// - Complexity: O(source pixels * (1 + target width * taps / source width)).
    func resample(_ pixels: [UInt8], shouldStop: @escaping swi_should_stop = Shim.shouldStop) throws -> [UInt8] {
        precondition(pixels.count == source.width * source.height * 4)
        return try unsafe Bitmap.draw(target) { output in
            try unsafe pixels.withUnsafeBufferPointer { input in
                var line = line()
                guard
                    unsafe resample(
                        0..<target.height, from: input, capacity: source.height, with: &line, to: output, shouldStop)
                else { throw CancellationError() }
            }
        }
    }

    /// Makes rows of the result, each once and in order.
    ///
    /// - Parameters:
    ///   - rows: The rows to make.
    ///   - input: The rows of the source that they need, row `y` at `y % capacity`.
    ///   - line: What ``line()`` made.
    ///   - output: The whole result.
    ///   - shouldStop: Whether to stop before all rows are made; `nil` for never.
    /// - Returns: Whether all rows are made.
    @discardableResult
    func resample(
        _ rows: Range<Int>, from input: UnsafeBufferPointer<UInt8>, capacity: Int, with line: inout Line,
        to output: UnsafeMutableBufferPointer<UInt8>, _ shouldStop: swi_should_stop? = nil
    ) -> Bool {
        precondition(
            input.count == source.width * capacity * 4 && line.samples.count == lineCount
                && line.light.count == lightCount)
        let target = unsafe UnsafeMutableBufferPointer(
            rebasing: output[rows.lowerBound * self.target.width * 4..<rows.upperBound * self.target.width * 4])
        guard let target = target.baseAddress, let input = input.baseAddress else { return true }
        return unsafe across.withPointers(acrossFourfold) { across in
            unsafe down.withPointers(down.weights) { down in
                var job = unsafe swi_resampling(
                    width: source.width, height: source.height, left: Int(self.across.taps.first?.first ?? 0),
                    right: Int(self.across.taps.last?.end ?? 0), target_width: self.target.width, across: across,
                    down: down, fraction: Int32(fraction), should_stop: shouldStop)
                // All that is read has been checked: the taps lie within the source, and no memory is empty.
                if inLinearLight {
                    return unsafe swi_resample_light(
                        &job, LinearLight.tables, input, capacity, rows.lowerBound, rows.upperBound, &line.light, reach,
                        target) == 0
                }
                return unsafe swi_resample(
                    &job, input, capacity, rows.lowerBound, rows.upperBound, &line.samples, target) == 0
            }
        }
    }

    /// The number of rows of the result that the first `rows` rows of the source are enough for.
    ///
    /// - Parameter finished: A number that is not larger.
    func rowCount(from rows: Int, finished: Int) -> Int {
        var count = finished
        while count < target.height, Int(down.taps[count].end) <= rows { count += 1 }
        return count
    }

    /// The memory between the two directions.
    struct Line {
        fileprivate var samples: [Int16]
        /// A row of the source, and rows of the result's width.
        fileprivate var light: [Float]
    }

    /// Makes the memory between the two directions.
    func line() -> Line {
        Line(samples: [Int16](repeating: 0, count: lineCount), light: [Float](repeating: 0, count: lightCount))
    }

    private var lineCount: Int { inLinearLight ? 0 : source.width * 4 + 128 }

    private var lightCount: Int { inLinearLight ? (source.width + 2 + reach * target.width) * 4 : 0 }
}

/// The curve between sRGB and light.
///
/// - Source: IEC 61966-2-1.
enum LinearLight {
    /// The light of each of 256 values, 0 to 1; and after it the value of each of 16,385 steps of light.
    static let tables: [Float] =
        (0..<256).map { Float(light(Double($0) / 255)) } + (0...16_384).map { Float(value(Double($0) / 16_384) * 255) }

    /// The light of an sRGB value, both 0 to 1.
    static func light(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    /// The sRGB value of a light, both 0 to 1.
    static func value(_ light: Double) -> Double {
        light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }
}
