// SPDX-License-Identifier: MIT
import CImageShims

/// Reads and writes PNG with libpng.
///
/// Reads every colour type, 1 to 16 bits, interlaced or not; 16 bits become 8 by dropping the low byte, as browsers do.
/// Animations are read, and written with ``EncodeOptions/writesAPNG``. In an animation that breaks the rules, the
/// default picture is read. Gamma is not applied, and a colour profile by ``ImageCoders``, with the trait `ICC`.
struct PNGCoder: ImageDecoding, ImageEncoding {
    /// Creates a coder.
    init() {}

    /// Whether the format is PNG.
    func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { format == .png }

    /// Whether the format is PNG.
    func canEncode(_ format: ImageFormat) -> Bool { format == .png }

    /// Never: the format has no quality.
    func usesQuality(_ format: EncodedFormat) -> Bool { false }

    /// Reads the chunks without inflating anything.
    func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
        let header = try PNGCoder.header(of: bytes, options)
        let shown = header.size.turned(header.orientation)
        var frameCount: Int? = 1
        if header.isAnimated {
            let work = DecodingWork(limits: options.limits, byteCount: bytes.count)
            let animation = try PNGAnimation(bytes, canvas: header.size, frameLimit: .max, work: work)
            frameCount = animation.map { $0.isComplete ? $0.frames.count : nil } ?? 1
        }
        return ImageProperties(
            format: .png, width: shown.width, height: shown.height, frameCount: frameCount,
            orientation: header.orientation,
            hasAlpha: header.hasAlpha, isLossless: true)
    }
}

extension PNGCoder {
    /// The bitmap or, for a thumbnail of a file that is not interlaced, some rows of it; libpng's rows; and what the
    /// `FramePlan` adds. Interlacing adds nothing to a bitmap: its passes share it.
    func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) throws -> Int {
        let header = try PNGCoder.header(of: bytes, options)
        let plan = PNGCoder.plan(for: header, thumbnail: options.thumbnail)
        let work = DecodingWork(limits: options.limits, byteCount: bytes.count)
        guard let animation = try PNGCoder.animation(of: bytes, header, options, work) else {
            return PNGCoder.decodingByteCount(header, plan)
        }
        return PNGCoder.decodingByteCount(animation, header, plan, onDemand: options.framesOnDemand)
    }

    static func decodingByteCount(_ header: PNGHeader, _ plan: FramePlan, isFrame: Bool = false) -> Int {
        // Two rows of up to eight bytes a pixel; zlib's window and what libpng reads at once.
        plan.drawingByteCount(inOrder: !header.isInterlaced && !isFrame).saturatingAdd(plan.finishingByteCount)
            .saturatingAdd(header.size.width.saturatingMultiply(24)).saturatingAdd(131_072)
    }
}
