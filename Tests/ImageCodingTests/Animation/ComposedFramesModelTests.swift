// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import ImageCoding

/// Frames that are asked for in any order against pictures that are drawn one after the other.
struct ComposedFramesModelTests {
    @Test func `a frame is the same whatever was asked for before it`() async {
        await Property(cases: 800) { draw in
            let canvas = PixelSize(width: draw.number(1...4), height: draw.number(1...3))
            let frames = draw.list(1...12) { DrawnFrame(&$0, in: canvas) }
            let start = draw.number(0...frames.count - 1)
            let asked = draw.list(1...20) { Asked(&$0, below: frames.count - start) }
            return (canvas: canvas, frames: frames, start: start, asked: asked)
        }.holds { canvas, frames, start, asked in
            let pictures = DrawnFrame.pictures(frames, canvas)
            let found = FoundFrames(
                durations: frames.map { _ in .milliseconds(100) }, loopCount: 0, mayBecomeClear: true, damage: [],
                size: canvas, covers: frames.map { $0.cover(in: canvas) })
            let options = DecodeOptions(framesOnDemand: true)
            let source = ComposedFrames(
                found, start..<frames.count, FramePlan(canvas, options), options, fileByteCount: 0
            ) { canvas, index, work in
                let frame = frames[index]
                try canvas.begin(frame.rect, frame.disposal, work)
                try canvas.draw(frame.pixels, in: frame.rect, isBlended: frame.isBlended, work)
                return []
            }
            for request in asked {
                switch request {
                case .frame(let index):
                    let wrong = difference(try source.pixels(at: index), pictures[start + index], "frame \(index):")
                    if let wrong { return wrong }
                case .less: source.releaseMemory()
                }
            }
            return nil
        }
    }

    private enum Asked {
        case frame(Int), less

        init(_ draw: inout Generator, below count: Int) {
            self = draw.isTrue(oneIn: 8) ? .less : .frame(draw.number(0...count - 1))
        }
    }
}

/// A frame of a file, whose pixels are opaque or clear.
private struct DrawnFrame {
    let rect: PixelRect
    let disposal: FrameCanvas.Disposal
    let isBlended: Bool
    let pixels: [UInt8]

    init(_ draw: inout Generator, in canvas: PixelSize) {
        let isWhole = draw.isTrue()
        let (x, y) = isWhole ? (0, 0) : (draw.number(0...canvas.width - 1), draw.number(0...canvas.height - 1))
        rect = PixelRect(
            x: x, y: y, width: isWhole ? canvas.width : draw.number(1...canvas.width - x),
            height: isWhole ? canvas.height : draw.number(1...canvas.height - y))
        disposal = draw.oneOf([.keep, .clear, .restore])
        isBlended = draw.isTrue()
        let (isOpaque, shade) = (draw.isTrue(), UInt8(draw.number(1...255)))
        pixels = (0..<rect.width * rect.height).flatMap { place -> [UInt8] in
            isOpaque || !draw.isTrue() ? [shade, UInt8(place), 7, 255] : [0, 0, 0, 0]
        }
    }

    func cover(in canvas: PixelSize) -> FrameCover {
        FrameCover(
            isWhole: rect.size == canvas,
            isOpaque: !isBlended || stride(from: 3, to: pixels.count, by: 4).allSatisfy { pixels[$0] == 255 },
            disposal: disposal)
    }

    /// The pictures after each frame: every pixel is drawn by itself.
    static func pictures(_ frames: [DrawnFrame], _ canvas: PixelSize) -> [[UInt8]] {
        var picture = [[UInt8]](repeating: [0, 0, 0, 0], count: canvas.width * canvas.height)
        return frames.map { frame in
            let below = picture
            let places = picture.indices.filter { place in
                let (x, y) = (place % canvas.width - frame.rect.x, place / canvas.width - frame.rect.y)
                return (0..<frame.rect.width).contains(x) && (0..<frame.rect.height).contains(y)
            }
            for (index, place) in places.enumerated() {
                let pixel = Array(frame.pixels[index * 4..<index * 4 + 4])
                if pixel[3] == 255 || !frame.isBlended { picture[place] = pixel }
            }
            let shown = Array(picture.joined())
            switch frame.disposal {
            case .keep: break
            case .clear: for place in places { picture[place] = [0, 0, 0, 0] }
            case .restore: picture = below
            }
            return shown
        }
    }
}
