public import ImageCoding

/// Makes pictures for tests and examples: the same arguments always give the same pixels.
///
/// Each picture shows its seed, so that a test can identify it even after JPEG or a resize.
public enum ImageFactory {
    /// The seeds a picture can carry.
    public static let seeds = 0...65_535

    /// Draws a picture: a gradient under discs and stripes, and the seed as 4 by 4 black and white blocks in the top
    /// left quarter.
    ///
    /// - Parameters:
    ///   - width: Width in pixels; from 32 on the seed survives every encoder.
    ///   - height: Height in pixels; from 32 on the seed survives every encoder.
    ///   - seed: Chooses the colours and shapes; within ``seeds``.
    ///   - hasAlpha: Whether the bottom right quarter fades to transparent.
    public static func picture(width: Int, height: Int, seed: Int, hasAlpha: Bool = false) -> DecodedImage {
        let canvas = Canvas(width: width, height: height, seed: seed, hasAlpha: hasAlpha)
        return made(width, height, [DecodedImage.Frame(pixels: canvas.pixels(movedBy: 0))], hasAlpha: hasAlpha)
    }

    /// Draws an animation that repeats forever: a bar moves over the picture that
    /// ``picture(width:height:seed:hasAlpha:)`` draws, and frame `n` lasts `50 + 10 * n` milliseconds.
    ///
    /// - Parameters:
    ///   - width: Width in pixels.
    ///   - height: Height in pixels.
    ///   - frames: How many frames, at least one.
    ///   - seed: Chooses the colours and shapes; within ``seeds``.
    ///   - hasAlpha: Whether the bottom right quarter fades to transparent.
    public static func animation(
        width: Int, height: Int, frames: Int, seed: Int, hasAlpha: Bool = false
    ) -> DecodedImage {
        let canvas = Canvas(width: width, height: height, seed: seed, hasAlpha: hasAlpha)
        let drawn = (0..<frames).map { index in
            DecodedImage.Frame(pixels: canvas.pixels(movedBy: index), duration: .milliseconds(50 + 10 * index))
        }
        return made(width, height, drawn, hasAlpha: hasAlpha)
    }

    /// Draws a picture and encodes it.
    ///
    /// - Parameters:
    ///   - width: Width in pixels.
    ///   - height: Height in pixels.
    ///   - seed: Chooses the colours and shapes; within ``seeds``.
    ///   - format: How to encode it.
    /// - Throws: `ImageError` when the format cannot hold the size.
    public static func encoded(
        width: Int, height: Int, seed: Int, as format: EncodedFormat = .jpeg()
    ) throws -> [UInt8] {
        try ImageCoders.default.encode(picture(width: width, height: height, seed: seed), as: format)
    }

    /// Draws an animation and encodes it.
    ///
    /// - Parameters:
    ///   - width: Width in pixels.
    ///   - height: Height in pixels.
    ///   - frames: How many frames, at least one.
    ///   - seed: Chooses the colours and shapes; within ``seeds``.
    ///   - format: How to encode it; a format without animation gets the first frame.
    /// - Throws: `ImageError` when the format cannot hold the size.
    public static func encodedAnimation(
        width: Int, height: Int, frames: Int, seed: Int, as format: EncodedFormat
    ) throws -> [UInt8] {
        let image = animation(width: width, height: height, frames: frames, seed: seed)
        return try ImageCoders.default.encode(image, as: format)
    }

    /// Reads the seed back from a picture's first frame, also after lossy coding and after a resize of the whole
    /// picture.
    ///
    /// - Parameter image: A picture that this factory drew, of at least 16 by 16 pixels.
    /// - Returns: `nil` when the top left quarter shows no clear blocks.
    public static func seed(of image: DecodedImage) -> Int? {
        guard image.width >= 16, image.height >= 16 else { return nil }
        var seed = 0
        for block in 0..<16 {
            switch brightness(of: image, column: block % 4, row: block / 4) {
            case 0..<90: break
            case 165...255: seed |= 1 << block
            default: return nil
            }
        }
        return seed
    }

    /// The mean green of the inner half of a block.
    private static func brightness(of image: DecodedImage, column: Int, row: Int) -> Int {
        func inner(_ index: Int, of side: Int) -> Range<Int> {
            let start = side * (index * 4 + 1) / 32
            return start..<max(side * (index * 4 + 3) / 32, start + 1)
        }
        let pixels = image.pixels
        var sum = 0
        var count = 0
        for y in inner(row, of: image.height) {
            for x in inner(column, of: image.width) {
                sum += Int(pixels[(y * image.width + x) * 4 + 1])
                count += 1
            }
        }
        return sum / count
    }

    private static func made(
        _ width: Int, _ height: Int, _ frames: [DecodedImage.Frame], hasAlpha: Bool
    ) -> DecodedImage {
        do {
            return try DecodedImage(width: width, height: height, frames: frames, hasAlpha: hasAlpha)
        } catch {
            preconditionFailure("A picture needs a frame and a pixel: \(error)")
        }
    }
}
