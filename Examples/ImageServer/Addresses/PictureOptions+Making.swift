// SPDX-License-Identifier: MIT
import WebImage

extension PictureOptions {
    /// The transformers of a request.
    var transformers: [any ImageTransforming] {
        var transformers: [any ImageTransforming] = []
        if width != nil || height != nil || isStripped {
            // Nothing is enlarged, so a box without limits changes no pixel, and the file is written anew all the same.
            transformers.append(ResizeTransformer(size: box, mode: mode, gravity: gravity ?? .center))
        }
        if let background { transformers.append(.over(background)) }
        return transformers
    }

    /// The box in pixels of the screen, which keeps its shape where it would have too long a side.
    private var box: PixelSize {
        let length = Double(max(width ?? 0, height ?? 0))
        let factor = min(pixelRatio, Double(Self.longestSide) / max(length, 1))
        // A side without limit is longer than any picture that is decoded.
        let side = { (length: Int?) in length.map { max(1, Int((Double($0) * factor).rounded())) } ?? 65_500 }
        return PixelSize(width: side(width), height: side(height))
    }

    /// The format of the file for a client.
    func output(acceptsWebP: Bool) -> OutputFormat {
        switch format {
        case .auto: acceptsWebP ? .webp(quality: quality) : .original
        case .original: .original
        case .jpeg: .jpeg(quality: quality)
        case .png: .encoded(.apng)
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
            return try image.mapFrames(hasAlpha: false) { laid($0, over: color) }
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
