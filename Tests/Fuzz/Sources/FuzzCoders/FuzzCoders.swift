// SPDX-License-Identifier: MIT
import Foundation
import ImageCoding

/// What is done with each file: a target of the script beside the package, chosen by the variable FUZZ.
enum Target: String {
    /// Decodes the file whole, and small.
    case decode
    /// Reads the format, the header and the metadata, of the whole file and of its beginning.
    case header
    /// Makes the frames of an animation on demand, forward and again from the first.
    case frames
    /// Decodes the file while it arrives.
    case preview
}

/// A file, and a last byte that chooses options, so that files are inputs as they are.
struct Input {
    let file: [UInt8]
    let choice: UInt8

    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let last = bytes.last else { return nil }
        (file, choice) = (Array(bytes.dropLast()), last)
    }

    var options: DecodeOptions {
        let limits = ImageLimits(
            maximumPixelCount: 1 << 18, maximumFrameCount: 16, maximumAnimationPixelCount: 1 << 20,
            maximumByteCount: 64 << 20, maximumDrawnPixelCount: 1 << 23)
        let small = ResizeTransformer(size: PixelSize(width: 9, height: 7), mode: choice & 4 == 0 ? .fit : .fill)
        return DecodeOptions(
            limits: limits, firstFrameOnly: choice & 8 != 0, thumbnail: choice & 16 == 0 ? nil : small,
            failOn: [.truncated, .never, .anyDamage][Int(choice & 3) % 3])
    }
}

extension Target {
    func run(_ input: Input) throws {
        let coders = ImageCoders.default
        switch self {
        case .decode: try check(coders.decode(input.file, options: input.options))
        case .header:
            try? coders.checkSignature(Array(input.file.prefix(Int(input.choice))))
            _ = try? coders.decodingByteCount(of: input.file, options: input.options)
            let properties = try coders.properties(of: input.file, options: input.options)
            // The size is what the header says, and is not checked.
            precondition(properties.width >= 0 && properties.height >= 0)
        case .frames:
            var options = input.options
            (options.framesOnDemand, options.frames) = (true, input.choice & 8 == 0 ? .all : .run(2..<7))
            let image = try coders.decode(input.file, options: options)
            for index in image.frames(upTo: 8) + [0] {
                guard let frame = try? image.frame(at: index) else { break }
                precondition(frame.pixels.count == image.width * image.height * 4)
            }
        case .preview:
            guard let previewer = try coders.previewer(for: input.file, options: input.options) else { return }
            for part in 1...4 {
                try previewer.preview(of: Array(input.file.prefix(input.file.count * part / 4))).map(check)
            }
        }
    }

    private func check(_ image: DecodedImage) {
        precondition(image.pixels.count == image.width * image.height * 4 && image.frameCount > 0)
    }
}

extension DecodedImage {
    fileprivate func frames(upTo count: Int) -> [Int] { Array(0..<min(count, frameCount)) }
}

private let target = Target(rawValue: ProcessInfo.processInfo.environment["FUZZ"] ?? "decode") ?? .decode

/// Called by libFuzzer for each input.
///
/// Errors are answers: a finding is a trap, a report of a sanitizer, a leak or a file that takes too long.
@c(LLVMFuzzerTestOneInput) public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    if let input = Input(UnsafeBufferPointer(start: start, count: count)) { try? target.run(input) }
    return 0
}
