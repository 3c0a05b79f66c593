// SPDX-License-Identifier: MIT
import Foundation
import Scenes
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// What each transformer makes of a scene, against pictures in the folder `Golden` that were looked at.
///
/// `RENEW_GOLDEN=1 swift test --filter GoldenTests` writes the pictures anew, and
/// `swift run contact-sheet Tests/ImageCodingTests/Golden` puts them on one sheet to look at.
@Suite("Golden")
struct GoldenTests {
    private static let box = PixelSize(width: 28, height: 28)
    private static let scene = SceneFactory.picture(width: 48, height: 36, seed: 12)
    /// Transparent in parts.
    private static let figure = SceneFactory.picture(width: 48, height: 36, seed: 21, hasAlpha: true)
    private static let badge = SceneFactory.picture(width: 20, height: 14, seed: 33, hasAlpha: true)
    private static let wide = PixelSize(width: 60, height: 40)
    private static let orange = PixelColor(red: 255, green: 140, blue: 0)

    /// The transformers by the names of their files.
    private static let all: [(name: String, transformer: any ImageTransforming)] =
        [
            ("resize-fit", .resize(to: box)), ("resize-fill", .resize(to: box, mode: .fill)),
            ("resize-fill-left", .resize(to: box, mode: .fill, gravity: .left)),
            ("resize-cover", .resize(to: box, mode: .cover)), ("resize-stretch", .resize(to: box, mode: .stretch)),
            ("resize-enlarge", .resize(to: wide, allowsEnlarging: true)),
            ("resize-light", .resize(to: box, inLinearLight: true)),
            ("crop", .crop(to: PixelRect(x: 10, y: 5, width: 25, height: 20))),
            ("smart-crop-attention", .smartCrop(to: PixelSize(width: 20, height: 30))),
            ("smart-crop-entropy", .smartCrop(to: PixelSize(width: 20, height: 30), interest: .entropy)),
            ("pad", .pad(by: 4, color: orange)), ("pad-to", .pad(to: wide, gravity: .bottomRight)),
            ("trim", .pipeline([.pad(by: 6, color: orange), .trim()])),
            ("round", .round(radius: 9)),
            (
                "round-border",
                .round(radius: 9, corners: [.topLeft, .bottomRight], borderWidth: 2.5, borderColor: orange)
            ),
            ("circle", .circle), ("circle-border", CircleTransformer(borderWidth: 3, borderColor: orange)),
            ("flip", .flip(.vertical)), ("flop", .flip(.horizontal)), ("rotate-90", .rotate(degrees: 90)),
            ("rotate-30", .rotate(degrees: 30)),
            ("rotate-kept", .rotate(degrees: -15, background: orange, keepsSize: true)),
            ("tint", .tint(orange)), ("tint-multiply", .tint(orange, mode: .multiply)), ("blur", .blur(sigma: 1.5)),
            ("blur-strong", .blur(sigma: 6)), ("sharpen", .sharpen(sigma: 1, amount: 1.5)), ("grayscale", .grayscale),
            ("brightness", .brightness(1.4)), ("contrast", .contrast(1.6)), ("saturation", .saturation(2)),
            (
                "pipeline",
                .pipeline([.resize(to: box, mode: .fill), .grayscale, .round(radius: 6), .rotate(degrees: 45)])
            ),
        ]
        + BlendMode.allCases.map { mode in
            (
                "overlay-\(mode.rawValue)",
                .overlay(badge, named: "badge", gravity: .center, margin: 2, opacity: 0.9, blend: mode)
            )
        }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Golden", directoryHint: .isDirectory)

    @Test func `every transformer makes the picture that was looked at`() throws {
        let coders = ImageCoders.default
        let renews = ProcessInfo.processInfo.environment["RENEW_GOLDEN"] != nil
        var names: Set<String> = []
        // Where transparency changes what a transformer does.
        let withAlpha = ["resize-fit", "tint", "round-border", "rotate-30", "blur", "sharpen", "overlay-multiply"]
        for (name, transformer) in Self.all {
            for (suffix, source) in [("", Self.scene), ("-alpha", Self.figure)] {
                if !suffix.isEmpty, !withAlpha.contains(name) { continue }
                let made = try transformer.transform(source)
                names.insert("\(name)\(suffix).png")
                let file = Self.folder.appending(path: "\(name)\(suffix).png")
                if renews { try Data(coders.encode(made, as: .png(level: 9))).write(to: file) }
                let golden = try coders.decode([UInt8](Data(contentsOf: file)))
                try #require(golden.size == made.size, "\(name)\(suffix)")
                // Floating point may round differently on another processor.
                expect(PixelComparison(golden.pixels, made.pixels).maxDifference, <=, 1, "\(name)\(suffix)")
            }
        }
        let stored = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        expectEqual(Set(stored), names)
    }
}
