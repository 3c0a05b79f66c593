// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

@Suite("Transformers")
struct TransformerTests {
    /// A custom transformer with a given key.
    private struct Named: ImageTransforming {
        let key: String

        func transform(_ image: DecodedImage) -> DecodedImage { image }
    }

    /// Neighbours differ in one parameter.
    private static let effects: [any ImageTransforming] = {
        let (box, mark) = (PixelSize(width: 30, height: 40), ImageFactory.picture(width: 4, height: 4, seed: 1))
        let other = ImageFactory.picture(width: 4, height: 4, seed: 2)
        let tall = DecodedImage(PixelSize(width: 2, height: 8), pixels: mark.pixels, hasAlpha: mark.hasAlpha)
        return [
            .resize(to: box, mode: .fill, gravity: .top), .resize(to: box, mode: .fill, gravity: .left),
            .pad(by: 1), .pad(by: 1, color: .black), .pad(to: box),
            .pad(to: box, gravity: .top), .pad(to: box, color: .white), .trim(), .trim(tolerance: 1),
            .flip(.horizontal), .flip(.vertical), .rotate(degrees: 1), .rotate(degrees: 1.5),
            .rotate(degrees: 1, background: .black), .rotate(degrees: 1, keepsSize: true), .round(radius: 1),
            .round(radius: 2), .round(radius: 1, corners: .topLeft), .round(radius: 1, borderWidth: 1),
            .round(radius: 1, borderWidth: 1, borderColor: .white), .circle, CircleTransformer(borderWidth: 1),
            .tint(.black), .tint(.clear), .tint(.black, mode: .multiply), .grayscale, .brightness(1), .brightness(1.1),
            .brightness(1.101),
            .contrast(1), .saturation(1), .blur(sigma: 1), .blur(sigma: 1.5), .sharpen(), .sharpen(sigma: 2),
            .sharpen(amount: 2), .overlay(mark, named: "a"), .overlay(mark, named: "b"), .overlay(other, named: "a"),
            .overlay(mark, named: "a,"), .overlay(tall, named: "a"), .overlay(mark, named: "a", gravity: .top),
            .overlay(mark, named: "a", margin: 1), .overlay(mark, named: "a", opacity: 0.5),
            .overlay(mark, named: "a", blend: .multiply), .custom(key: "a") { $0 }, .custom(key: "b") { $0 },
            .custom(key: "a)") { $0 },
        ]
    }()

    @Test(arguments: effects.indices)
    func `a transformer predicts its size, keeps the frames and can be cancelled`(index: Int) async throws {
        let transformer = Self.effects[index]
        let image = ImageFactory.animation(width: 24, height: 17, frames: 2, seed: 8)
        let result = try transformer.transform(image)
        let predicted = transformer.resultSize(for: image.size)
        if transformer is TrimTransformer {
            expect(result.width, <=, predicted.width)
        } else {
            expectEqual(result.size, predicted)
        }
        expectEqual(result.durations, image.durations)
        expect(result.hasAlpha || result.frames.allSatisfy { $0.pixels.chunks.allSatisfy { $0[3] == 255 } })
        let still = try transformer.transform(image.firstFrame)
        if !(transformer is TrimTransformer) { expectEqual(result.pixels, still.pixels) }
        // Changes nothing, or calls a closure.
        guard !result.isSame(as: image) else { return }
        let cancelled = await Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try transformer.transform(image).width
        }.result
        expectError(CancellationError.self) { try cancelled.get() }
    }

    @Test func `numbers out of range are those at the edge, and equal parameters have one key`() {
        expectEqual(Gravity(x: 7, y: 7), .bottomRight)
        expectEqual(Gravity(x: -.infinity, y: .nan), .topLeft)
        for degrees in [-0.0, 360, -360, 720, -1e-300] {
            expectEqual(RotateTransformer(degrees: degrees).key, RotateTransformer(degrees: 0).key, "\(degrees)")
        }
        let corners = ImageCorners(rawValue: 31)
        expectEqual(RoundCornersTransformer(radius: 1, corners: corners).key, RoundCornersTransformer(radius: 1).key)
        expectImageError(.invalidRequest) {
            try SmartCropTransformer(size: PixelSize(width: 0, height: 4))
                .transform(ImageFactory.picture(width: 9, height: 9, seed: 1))
        }
    }

    @Test func `no animation grows beyond the limits, in either direction`() {
        let tiny = ImageFactory.animation(width: 2, height: 2, frames: 3, seed: 1)
        let long = ImageFactory.animation(width: 4_000, height: 1, frames: 7, seed: 1)
        let (box, wide) = (PixelSize(width: 5_000, height: 5_000), PixelSize(width: 60_000, height: 1_000))
        let high = ImageFactory.picture(width: 10, height: 2_000, seed: 1)
        let cases: [(any ImageTransforming, DecodedImage)] = [
            (.pad(to: box), tiny), (.pad(by: 2_499), tiny), (.rotate(degrees: 45), long),
            (.resize(to: box, mode: .stretch, allowsEnlarging: true), tiny),
            (.resize(to: wide, mode: .stretch, allowsEnlarging: true), high),
        ]
        for (transformer, image) in cases {
            expectImageError(.tooLarge, "\(transformer.key)") { try transformer.transform(image) }
        }
    }

    @Test func `a quarter turn that keeps the size cuts off what is beyond it`() throws {
        let image = ImageFactory.picture(width: 30, height: 20, seed: 3)
        let turned = try RotateTransformer(degrees: 90, keepsSize: true).transform(image)
        expectEqual(turned.size, image.size)
        expect(turned.hasAlpha)
        let whole = try RotateTransformer(degrees: 90).transform(image)
        // The middle of both is the same.
        expectEqual(
            Array(turned.pixels[(10 * 30 + 15) * 4..<(10 * 30 + 16) * 4]),
            Array(whole.pixels[(15 * 20 + 10) * 4..<(15 * 20 + 11) * 4]))
    }

    @Test func `the memory of a pipeline is that of its dearest step, with what is between two steps`() {
        let size = PixelSize(width: 40, height: 30)
        let half = CustomTransformer(key: "half", resultSize: { PixelSize(width: $0.width / 2, height: $0.height) }) {
            $0
        }
        let sharpen = SharpenTransformer()
        let bytes = size.bitmapByteCount
        expectEqual(sharpen.workingByteCount(for: size), BlurTransformer(sigma: 1).workingByteCount(for: size) + bytes)
        let dear = sharpen.workingByteCount(for: size) + 2 * bytes
        expectEqual(TransformerPipeline([sharpen, half]).workingByteCount(for: size), dear)
        expectEqual(TransformerPipeline([half]).workingByteCount(for: size), bytes + bytes / 2)
        expectEqual(TransformerPipeline([]).workingByteCount(for: size), 0)
    }

    @Test func `different transformers have different keys, and keys never change`() {
        let box = PixelSize(width: 30, height: 40)
        let transformers: [any ImageTransforming] =
            [
                .resize(to: box), .resize(to: box, mode: .fill), .resize(to: box, mode: .stretch),
                .resize(to: box, allowsEnlarging: true), .resize(to: PixelSize(width: 40, height: 30)),
                .crop(to: PixelRect(x: 1, y: 2, width: 3, height: 4)),
                .crop(to: PixelRect(x: 12, y: 3, width: 4, height: 0)),
                .crop(to: PixelRect(x: 1, y: 23, width: 4, height: 0)),
                .pipeline([]), .pipeline([Named(key: "")]), .pipeline([Named(key: ""), Named(key: "")]),
                .pipeline([Named(key: "a|b")]), .pipeline([Named(key: "a"), Named(key: "b")]),
                .pipeline([Named(key: "a\\"), Named(key: "b")]), .pipeline([Named(key: "a\\|b")]),
                .pipeline([.resize(to: box)]), .pipeline([.pipeline([.resize(to: box)])]),
                .pipeline([.pipeline([Named(key: "a")]), Named(key: "b")]),
                .pipeline([.pipeline([Named(key: "a"), Named(key: "b")])]),
            ] + Self.effects
        expectEqual(Set(transformers.map(\.key)).count, transformers.count)
        expectEqual(
            TintTransformer.tint(PixelColor(red: 15, green: 0, blue: 16, alpha: 9)).key, "tint(#0f001009,sourceIn)")
        let size = PixelSize(width: 320, height: 240)
        expectEqual(ResizeTransformer(size: size, mode: .fill).key, "resize(320x240,fill)")
        expectEqual(ResizeTransformer(size: size, allowsEnlarging: true).key, "resize(320x240,fit,enlarging)")
        expectEqual(CropTransformer(PixelRect(x: 1, y: -2, width: 3, height: 4)).key, "crop(1,-2,3,4)")
        expectEqual(ResizeTransformer(size: size, mode: .fill, gravity: .top).key, "resize(320x240,fill,0.5:0.0)")
        expectEqual(PadTransformer.pad(by: 1, color: .black).key, "pad(1,1,1,1,#000000)")
        expectEqual(PadTransformer.pad(to: size).key, "extend(320x240,0.5:0.5,#00000000)")
        expectEqual(RotateTransformer(degrees: -90).key, "rotate(270.0,#00000000)")
        expectEqual(RoundCornersTransformer(radius: 4).key, "round(4.0,15,0.0,#000000)")
        expectEqual(ColorTransformer.contrast(1.5).key, "contrast(1.5)")
        expectEqual(BlurTransformer(sigma: 2).key, "blur(2.0)")
        expectEqual(
            TransformerPipeline([ResizeTransformer(size: size), Named(key: "a|b")]).key, "[resize(320x240,fit)|a\\|b|]")
    }
}
