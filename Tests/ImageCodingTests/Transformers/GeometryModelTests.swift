// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// Transformers of small pictures against pictures whose pixels are moved one by one.
struct GeometryModelTests {
    @Test func `crops, turns, mirrors, borders and trims move pixels as one by one`() async {
        await Property(cases: 2_000) { draw in
            (picture: PlainPicture(&draw), steps: draw.list(0...3) { PlainStep(&$0) })
        }.holds { picture, steps in
            var expected: PlainPicture? = picture
            for step in steps { expected = expected.flatMap { step.applied(to: $0) } }
            let pipeline = TransformerPipeline(steps.map(\.transformer))
            let result: DecodedImage
            do { result = try pipeline.transform(picture.image) } catch let error as ImageError {
                return unless(expected == nil && error.code == .invalidRequest, "\(error.code) is thrown")
            }
            let predicted = pipeline.resultSize(for: picture.size)
            let isTrimmed = steps.contains { if case .trim = $0 { true } else { false } }
            return difference(PlainPicture(result), expected)
                ?? unless(isTrimmed || predicted == result.size, "\(predicted) was predicted")
                ?? unless(result.hasAlpha || result.frames.allSatisfy { Bitmap.isOpaque($0.pixels) }, "hides its alpha")
        }
    }

    @Test func `any angle takes each pixel from the four around its place`() async {
        await Property(cases: 400) { draw in
            (picture: PlainPicture(&draw), degrees: Double(draw.number(-720...720)) / 2, keepsSize: draw.isTrue())
        }.holds { picture, degrees, keepsSize in
            let background = PixelColor(red: 10, green: 200, blue: 30)
            let turn = RotateTransformer(degrees: degrees, background: background, keepsSize: keepsSize)
            let result = try PlainPicture(turn.transform(picture.image))
            let size = turn.resultSize(for: picture.size)
            guard size == result.size else { return "another size" }
            let (sine, cosine) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
            for (x, y) in result.places {
                let (right, down) = (
                    Double(x) + 0.5 - Double(size.width) / 2, Double(y) + 0.5 - Double(size.height) / 2
                )
                let column = right * cosine + down * sine + Double(picture.width) / 2 - 0.5
                let line = down * cosine - right * sine + Double(picture.height) / 2 - 0.5
                var pixel = [0.0, 0, 0, 0]
                for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    let (atX, atY) = (Int(column.rounded(.down)) + dx, Int(line.rounded(.down)) + dy)
                    let weight = (1 - abs(column - Double(atX))) * (1 - abs(line - Double(atY)))
                    let neighbour = picture.pixel(atX, atY) ?? background.premultiplied
                    for channel in 0..<4 { pixel[channel] += weight * Double(neighbour[channel]) }
                }
                let found = result.pixel(x, y) ?? []
                let isClose = zip(found, pixel).allSatisfy { abs(Double($0) - $1) <= 1 }
                if !isClose { return "\(found) in place of \(pixel) at \(x), \(y)" }
            }
            return nil
        }
    }

    @Test func `a resize has the size of its mode, in one step and in two`() async {
        func size(_ draw: inout Generator) -> PixelSize {
            func side() -> Int { draw.number(1...draw.oneOf([4, 40, 300, 9_000])) }
            return PixelSize(width: side(), height: side())
        }
        let modes = [ResizeTransformer.Mode.fit, .fill, .cover, .stretch]
        await Property(cases: 5_000) { draw in
            (source: size(&draw), box: size(&draw), mode: draw.oneOf(modes), enlarges: draw.isTrue())
        }.holds { source, box, mode, enlarges in
            let resize = ResizeTransformer(size: box, mode: mode, allowsEnlarging: enlarges)
            let result = resize.resultSize(for: source)
            // A side of the picture times a side of the box: which side decides is decided in whole numbers.
            let (across, down) = (box.width * source.height, box.height * source.width)
            let isNarrow = mode == .fit ? across <= down : across >= down
            let grows = isNarrow ? box.width >= source.width : box.height >= source.height
            func near(_ length: Int, _ side: Int, _ part: Int, _ whole: Int) -> Bool {
                length == max(1, length)
                    && (length == 1 && side * part <= whole || abs(2 * (length * whole - side * part)) <= whole)
            }
            switch mode {
            case .fit, .cover:
                let isRight =
                    grows && !enlarges
                    ? result == source
                    : isNarrow
                        ? result.width == box.width && near(result.height, source.height, box.width, source.width)
                        : result.height == box.height && near(result.width, source.width, box.height, source.height)
                if !isRight { return "\(result)" }
            case .fill, .stretch:
                if enlarges, result != box { return "\(result)" }
                if !enlarges,
                    result.width > min(box.width, source.width) || result.height > min(box.height, source.height)
                {
                    return "\(result) grew"
                }
            }
            let small = resize.shrinking.resultSize(for: source)
            return difference(resize.resultSize(for: result), result, "again:")
                ?? difference(resize.resultSize(for: small), result, "after a decoder's part:")
                ?? unless(
                    small.width <= source.width && small.height <= source.height, "a decoder would enlarge to \(small)")
        }
    }

    @Test func `a resize shows the part of its mode, each pixel within one of the exact filter`() async {
        let modes = [ResizeTransformer.Mode.fit, .fill, .cover, .stretch]
        await Property(cases: 400) { draw in
            (
                picture: PlainPicture(&draw, most: 12), width: draw.number(1...14), height: draw.number(1...14),
                mode: draw.oneOf(modes),
                gravity: Gravity(x: Double(draw.number(0...4)) / 4, y: draw.oneOf([0, 0.5, 1]))
            )
        }.holds { picture, width, height, mode, gravity in
            let resize = ResizeTransformer(
                size: PixelSize(width: width, height: height), mode: mode, allowsEnlarging: true, gravity: gravity)
            let result = try resize.transform(picture.image)
            var window = ResamplingWindow.whole(picture.size)
            if mode == .fill {
                // The picture covers the box in whole pixels; what is beyond it is cut off.
                let scale = max(Double(width) / window.width, Double(height) / window.height)
                let (across, down) = ((window.width * scale).rounded(), (window.height * scale).rounded())
                window.width *= Double(width) / max(1, across)
                window.height *= Double(height) / max(1, down)
                window.x = (Double(picture.width) - window.width) * gravity.x
                window.y = (Double(picture.height) - window.height) * gravity.y
            }
            for (frame, drawn) in zip(result.frames, picture.frames) {
                let exact = ResamplerTests.exact(Array(drawn.joined()), picture.size, window, result.size)
                let comparison = PixelComparison(frame.pixels, exact)
                if comparison.maxDifference > 1 { return "differs by \(comparison.maxDifference)" }
            }
            return nil
        }
    }
}

/// A picture, or a short animation, as lists of pixels.
struct PlainPicture: Equatable {
    let width, height: Int
    /// The pixels of each frame, row after row.
    let frames: [[[UInt8]]]

    init(width: Int, height: Int, frames: [[[UInt8]]]) {
        (self.width, self.height, self.frames) = (width, height, frames)
    }

    init(_ draw: inout Generator, most: Int = 6) {
        (width, height) = (draw.number(1...most), draw.number(1...most))
        let hasAlpha = draw.isTrue(oneIn: 3)
        let count = width * height
        frames = (0..<(draw.isTrue(oneIn: 4) ? 2 : 1)).map { _ in
            (0..<count).map { _ in
                let alpha = hasAlpha ? draw.oneOf([255, 0, 128]) : 255
                return (0..<3).map { _ in UInt8(min(alpha, draw.oneOf([255, 0, 9, 128]))) } + [UInt8(alpha)]
            }
        }
    }

    init(_ image: DecodedImage) {
        self.init(width: image.width, height: image.height, frames: image.frames.map(\.pixels.chunks))
    }

    var places: [(x: Int, y: Int)] { (0..<width * height).map { ($0 % width, $0 / width) } }

    /// A pixel of the first frame; `nil` outside.
    func pixel(_ x: Int, _ y: Int) -> [UInt8]? {
        (0..<width).contains(x) && (0..<height).contains(y) ? frames[0][y * width + x] : nil
    }

    var size: PixelSize { PixelSize(width: width, height: height) }

    var image: DecodedImage {
        let duration = frames.count > 1 ? Duration.milliseconds(100) : .zero
        let held = frames.map { DecodedImage.Frame(pixels: Array($0.joined()), duration: duration) }
        let hasAlpha = frames.joined().contains { $0[3] < 255 }
        return DecodedImage(size, .held(held), loopCount: 0, hasAlpha: hasAlpha, damage: [])
    }

    /// The picture of another size, of which each pixel comes from a place of this one, or has a colour.
    func moved(
        _ width: Int, _ height: Int, filling color: [UInt8] = [], from place: (Int, Int) -> (x: Int, y: Int)
    ) -> PlainPicture {
        let result = PlainPicture(width: width, height: height, frames: [])
        return PlainPicture(
            width: width, height: height,
            frames: frames.map { frame in
                let still = PlainPicture(width: self.width, height: self.height, frames: [frame])
                return result.places.map { x, y in
                    let from = place(x, y)
                    return still.pixel(from.x, from.y) ?? color
                }
            })
    }
}

/// A transformer that moves whole pixels.
enum PlainStep {
    case crop(PixelRect), flip(FlipTransformer.Axis), rotate(Int), pad(Int), extend(PixelSize, Gravity), trim(Int)

    static let color = PixelColor(red: 200, green: 100, blue: 50, alpha: 128)

    init(_ draw: inout Generator) {
        switch draw.number(0...5) {
        case 0: self = .flip(draw.oneOf([.horizontal, .vertical]))
        case 1: self = .rotate(draw.oneOf([90, 180, 270, 0, -90, 450]))
        case 2:
            let side = [3, 1, 7, 0, -1, .max]
            self = .crop(
                PixelRect(
                    x: draw.number(-3...5), y: draw.number(-3...5), width: draw.oneOf(side), height: draw.oneOf(side)))
        case 3: self = .pad(draw.number(-1...3))
        case 4:
            let size = PixelSize(width: draw.number(-1...9), height: draw.number(1...9))
            self = .extend(size, draw.oneOf([.topLeft, .center, .bottomRight, .right, Gravity(x: 0.25, y: 0.75)]))
        default: self = .trim(draw.oneOf([0, 10, 128, 255]))
        }
    }

    var transformer: any ImageTransforming {
        switch self {
        case .crop(let rect): .crop(to: rect)
        case .flip(let axis): .flip(axis)
        case .rotate(let degrees): .rotate(degrees: Double(degrees))
        case .pad(let count): .pad(by: count, color: Self.color)
        case .extend(let size, let gravity): .pad(to: size, gravity: gravity, color: Self.color)
        case .trim(let tolerance): .trim(tolerance: tolerance)
        }
    }

    /// `nil` where there is no such picture.
    func applied(to picture: PlainPicture) -> PlainPicture? {
        let (width, height) = (picture.width, picture.height)
        switch self {
        case .flip(.horizontal): return picture.moved(width, height) { (width - 1 - $0, $1) }
        case .flip(.vertical): return picture.moved(width, height) { ($0, height - 1 - $1) }
        case .rotate(let degrees):
            switch (degrees + 360) % 360 {
            case 90: return picture.moved(height, width) { ($1, height - 1 - $0) }
            case 180: return picture.moved(width, height) { (width - 1 - $0, height - 1 - $1) }
            case 270: return picture.moved(height, width) { (width - 1 - $1, $0) }
            default: return picture
            }
        case .crop(let rect):
            let columns = (0..<width).filter { $0 >= rect.x && $0 - rect.x < rect.width }
            let rows = (0..<height).filter { $0 >= rect.y && $0 - rect.y < rect.height }
            guard let left = columns.first, let top = rows.first else { return nil }
            return picture.moved(columns.count, rows.count) { ($0 + left, $1 + top) }
        case .pad(let count):
            guard count >= 0 else { return nil }
            return picture.moved(width + 2 * count, height + 2 * count, filling: Self.color.premultiplied) {
                ($0 - count, $1 - count)
            }
        case .extend(let size, let gravity):
            let (wide, high) = (max(width, size.width), max(height, size.height))
            let left = Int((Double(wide - width) * gravity.x).rounded(.down))
            let top = Int((Double(high - height) * gravity.y).rounded(.down))
            return picture.moved(wide, high, filling: Self.color.premultiplied) { ($0 - left, $1 - top) }
        case .trim(let tolerance):
            let kept = picture.places.filter { x, y in
                picture.frames.contains { frame in
                    zip(frame[y * width + x], frame[0]).contains { abs(Int($0) - Int($1)) > tolerance }
                }
            }
            guard let left = kept.map(\.x).min(), let right = kept.map(\.x).max(), let top = kept.map(\.y).min(),
                let bottom = kept.map(\.y).max()
            else { return picture }
            return picture.moved(right - left + 1, bottom - top + 1) { ($0 + left, $1 + top) }
        }
    }
}
