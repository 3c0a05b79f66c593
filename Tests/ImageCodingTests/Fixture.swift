// SPDX-License-Identifier: MIT
import Foundation
import Testing

@testable import ImageCoding

/// A file of the `Fixtures` folder and what it must decode to.
struct Fixture: CustomTestStringConvertible, Sendable {
    let name: String
    let size: PixelSize
    let hasAlpha: Bool
    let loopCount: Int
    let durations: [Duration]
    /// The FNV-1a hash of each frame's pixels.
    let hashes: [String]

    var testDescription: String { name }

    var format: ImageFormat? { ImageFormat(fileExtension: String(name.split(separator: ".")[1])) }

    /// The file.
    var bytes: [UInt8] { get throws { try Fixture.file(name) } }

    /// All frames' pixels, kept for lossy formats only.
    var pixels: [UInt8]? { try? Fixture.file(name + ".rgba") }

    static func file(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
    }

    static func named(_ name: String) throws -> Fixture { try #require(all.first { $0.name == name }) }

    /// Every line of `expected.txt`; `make_fixtures.py` describes the format of a line.
    static let all: [Fixture] = {
        guard let text = try? String(contentsOf: folder.appendingPathComponent("expected.txt"), encoding: .utf8) else {
            return []
        }
        return text.split(separator: "\n").map { line in
            let fields = line.split(separator: " ").map(String.init)
            let frames = fields.dropFirst(5)
            return Fixture(
                name: fields[0], size: PixelSize(width: Int(fields[1]) ?? 0, height: Int(fields[2]) ?? 0),
                hasAlpha: fields[3] == "1", loopCount: Int(fields[4]) ?? -1,
                durations: stride(from: 5, to: fields.count, by: 2).map { .milliseconds(Int(fields[$0]) ?? -1) },
                hashes: stride(from: 6, to: fields.count, by: 2).map { frames[$0] })
        }
    }()

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Fixtures")
}
