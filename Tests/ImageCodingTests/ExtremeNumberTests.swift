// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// Numbers of any size are clamped or refused: none traps.
@Suite("Extreme numbers")
struct ExtremeNumberTests {
    private static let numbers = [Int.min, Int.min + 1, -1, 0, 1, 2, 7, 65_535, 1 << 31, 1 << 53, Int.max - 1, .max]
    private static let sizes = numbers.flatMap { width in numbers.map { PixelSize(width: width, height: $0) } }
    private static let modes: [ResizeTransformer.Mode] = [.fit, .fill, .stretch]

    /// Runs `body` and expects an ``ImageError`` if anything.
    private func attempt(_ comment: String, _ body: () throws -> Void) {
        do { try body() } catch { expect(error is ImageError, "\(comment): \(error)") }
    }

    @Test(arguments: modes, [false, true]) func `a picture is resized to any box, or the box is refused`(
        mode: ResizeTransformer.Mode, allowsEnlarging: Bool
    ) {
        let pictures = [(6, 4), (1, 300)].map {
            ImageFactory.picture(width: $0.0, height: $0.1, seed: 1)
        }
        for box in Self.sizes {
            let transformer = ResizeTransformer(size: box, mode: mode, allowsEnlarging: allowsEnlarging)
            for picture in pictures {
                let told = transformer.resultSize(for: picture.size)
                attempt("\(box)") {
                    // Sizes within the limits would take long, and the test is about sizes.
                    guard told.pixelCount < 2_000 else {
                        guard told.pixelCount > ImageLimits.default.maximumPixelCount else { return }
                        expectImageError { try transformer.transform(picture) }
                        return
                    }
                    let made = try transformer.transform(picture).size
                    expectEqual(made, told)
                }
            }
        }
    }

    @Test func `the size of a result is known for a picture of any size`() {
        let transformers: [any ImageTransforming] =
            Self.modes.flatMap { mode in
                Self.sizes.flatMap { box in
                    [false, true].map { ResizeTransformer(size: box, mode: mode, allowsEnlarging: $0) }
                }
            } + Self.sizes.map { CropTransformer(PixelRect(x: $0.width, y: $0.height, width: 5, height: .max)) }
            + Self.sizes.map { CropTransformer(PixelRect(x: -5, y: .min, width: $0.width, height: $0.height)) }
            + Self.sizes.map { PadTransformer.pad(by: $0.width) }
            + Self.sizes.map { PadTransformer.pad(to: $0, gravity: .bottom) }
            + [.rotate(degrees: 17), .rotate(degrees: 90), .circle]
        for size in Self.sizes {
            for transformer in transformers {
                let result = transformer.resultSize(for: size)
                expect(result.width >= 0 && result.height >= 0, "\(transformer.key) of \(size)")
            }
            for effect in [.blur(sigma: 100), .sharpen(sigma: .infinity), TransformerPipeline(transformers)]
                as [any ImageTransforming]
            {
                expect(effect.workingByteCount(for: size), >=, 0)
            }
            _ = TransformerPipeline(transformers).resultSize(for: size)
        }
    }

    @Test func `a rectangle of any size is cut out, or refused`() {
        let picture = ImageFactory.picture(width: 6, height: 4, seed: 1)
        for corner in Self.sizes {
            for size in Self.sizes {
                let rect = PixelRect(x: corner.width, y: corner.height, width: size.width, height: size.height)
                attempt("\(rect)") { _ = try CropTransformer(rect).transform(picture) }
            }
        }
    }

    @Test func `a frame may last any time`() throws {
        let times: [Duration] = [
            .seconds(Int64.min), .seconds(Int64.max), .seconds(-1), .zero, .nanoseconds(-1), .nanoseconds(1),
            .milliseconds(-1), .seconds(86_399), .seconds(86_400),
            Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999),
        ]
        let pixels = ImageFactory.picture(width: 8, height: 8, seed: 1).frames[0].pixels
        for time in times {
            let frames = [time, time].map { DecodedImage.Frame(pixels: pixels, duration: $0) }
            let image = try DecodedImage(width: 8, height: 8, frames: frames, loopCount: .max, hasAlpha: false)
            for format in [EncodedFormat.gif, .webp(), .losslessWebP] {
                _ = try ImageCoders.default.encode(image, as: format)
            }
        }
        expectEqual(FrameTiming.milliseconds(.seconds(Int64.min)), 0)
        expectEqual(FrameTiming.milliseconds(.seconds(Int64.max)), 86_400_000)
        expectEqual(FrameTiming.milliseconds(.milliseconds(1_234)), 1_234)
    }

    @Test(arguments: numbers) func `an encoder's options may be any number`(number: Int) throws {
        let picture = ImageFactory.picture(width: 8, height: 8, seed: 1)
        for format in [EncodedFormat.jpeg(quality: number), .png(level: number), .webp(quality: number)] {
            expect(try ImageCoders.default.encode(picture, as: format).count, >, 0)
        }
    }

    private static let limits: [String: @Sendable (inout ImageLimits, Int) -> Void] = [
        "pixels": { $0.maximumPixelCount = $1 }, "side": { $0.maximumSide = $1 },
        "frames": { $0.maximumFrameCount = $1 }, "pixels of all frames": { $0.maximumAnimationPixelCount = $1 },
        "bytes": { $0.maximumByteCount = $1 }, "drawn pixels": { $0.maximumDrawnPixelCount = $1 },
        "seconds": { $0.maximumProcessorTime = .seconds($1) }, "scans": { $0.maximumScanCount = $1 },
        "metadata": { $0.maximumMetadataByteCount = $1 },
    ]

    @Test(arguments: limits.keys.sorted(), numbers)
    func `a limit may be any number`(limit: String, number: Int) throws {
        var limits = ImageLimits.default
        Self.limits[limit]!(&limits, number)
        let names = ["delays.gif", "animated-alpha.webp", "lossy-alpha.webp", "progressive-420.jpg", "rgba8.png"]
        for name in names {
            let bytes = try Fixture.named(name).bytes
            for box in [nil, PixelSize(width: number, height: 3)] {
                attempt("\(name)") {
                    let options = DecodeOptions(limits: limits, thumbnail: box.map { .resize(to: $0) })
                    try expect(ImageCoders.default.decodingByteCount(of: bytes, options: options), >, 0)
                    let image = try ImageCoders.default.decode(bytes, options: options)
                    expect(image.frames.count <= max(number, 1) || limit != "frames")
                }
            }
        }
    }
}
