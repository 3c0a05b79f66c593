// SPDX-License-Identifier: MIT
import WebImage

extension PictureOptions {
    /// The transformers of a request.
    var transformers: [any ImageTransforming] {
        var transformers: [any ImageTransforming] = []
        if width != nil || height != nil || isStripped {
            // A side without limit is longer than any picture that is decoded. Nothing is enlarged, so a box without
            // limits changes no pixel, and the file is written anew all the same.
            let box = PixelSize(width: side(width), height: side(height))
            transformers.append(ResizeTransformer(size: box, mode: mode, gravity: gravity ?? .center))
        }
        if let background { transformers.append(.over(background)) }
        return transformers
    }

    private func side(_ length: Int?) -> Int {
        guard let length else { return 65_500 }
        return min(Self.longestSide, Int((Double(length) * pixelRatio).rounded()))
    }

    /// The format of the file for a client.
    func output(acceptsWebP: Bool) -> OutputFormat {
        switch format {
        case .auto: acceptsWebP ? .webp(quality: quality) : .original
        case .original: .original
        case .jpeg: .jpeg(quality: quality)
        case .png: .png
        case .gif: .gif
        case .webp: .webp(quality: quality)
        }
    }
}

extension ImageTransforming where Self == CustomTransformer {
    /// Lays a picture over a colour.
    fileprivate static func over(_ color: PixelColor) -> CustomTransformer {
        .custom(key: "over\(color)") { image in
            guard image.hasAlpha else { return image }
            let image = try image.loadingAllFrames()
            let frames = try (0..<image.frameCount).map { index in
                try Task.checkCancellation()
                let frame = try image.frame(at: index)
                return DecodedImage.Frame(pixels: Self.laid(frame.pixels, over: color), duration: frame.duration)
            }
            return try DecodedImage(
                width: image.width, height: image.height, frames: frames, loopCount: image.loopCount, hasAlpha: false)
        }
    }

    /// The pixels are premultiplied, so each takes the part of the colour that it lets through.
    private static func laid(_ pixels: [UInt8], over color: PixelColor) -> [UInt8] {
        var pixels = pixels
        for start in stride(from: 0, to: pixels.count - 3, by: 4) {
            let free = 255 - Int(pixels[start + 3])
            guard free > 0 else { continue }
            for (channel, value) in [color.red, color.green, color.blue].enumerated() {
                pixels[start + channel] = UInt8(
                    min(255, Int(pixels[start + channel]) + (Int(value) * free + 127) / 255))
            }
            pixels[start + 3] = 255
        }
        return pixels
    }
}
