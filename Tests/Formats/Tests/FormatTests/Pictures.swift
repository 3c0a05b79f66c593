// SPDX-License-Identifier: MIT
import Foundation
import ImageCoding
import Testing

/// A file that `make-pictures` wrote, with what the tool of its format sees in it.
struct Picture {
    let name: String
    let bytes: [UInt8]
    let size: PixelSize
    /// Premultiplied RGBA.
    let pixels: [UInt8]

    var isOpaque: Bool { stride(from: 3, to: pixels.count, by: 4).allSatisfy { pixels[$0] == 255 } }

    private static let folder = ProcessInfo.processInfo.environment["PICTURES"]

    /// All files of an extension, by name. None without the folder, which fails the tests that want some.
    static func all(_ fileExtension: String) -> [Picture] {
        guard let folder, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return [] }
        return names.filter { $0.hasSuffix(".\(fileExtension)") }.sorted().compactMap { Picture(folder, $0) }
    }

    static func named(_ name: String) -> Picture? { folder.flatMap { Picture($0, name) } }

    private init?(_ folder: String, _ name: String) {
        guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)"),
            let seen = FileManager.default.contents(atPath: "\(folder)/\(name).rgba"),
            let end = seen.firstIndex(of: 0x0A)
        else { return nil }
        let sides = String(decoding: seen[..<end], as: UTF8.self).split(separator: " ").compactMap { Int($0) }
        self.name = name
        self.bytes = Array(bytes)
        size = PixelSize(width: sides[0], height: sides[1])
        pixels = Array(seen[(end + 1)...])
    }
}

/// The peak signal-to-noise ratio of two pictures of the same size, in decibels.
func similarity(_ one: [UInt8], _ other: [UInt8]) -> Double {
    guard one.count == other.count else { return 0 }
    if one == other { return .infinity }
    let sum = zip(one, other).reduce(0.0) { $0 + Double(Int($1.0) - Int($1.1)) * Double(Int($1.0) - Int($1.1)) }
    return 10 * log10(255 * 255 * Double(one.count) / sum)
}

/// The code of the error of a decode.
func code(
    of bytes: [UInt8], _ limits: ImageLimits = .default, failOn: DamagePolicy = DecodeOptions().failOn
) -> ImageError.Code? {
    (#expect(throws: ImageError.self) {
        try ImageCoders.default.decode(bytes, options: DecodeOptions(limits: limits, failOn: failOn))
    })?.code
}

/// Numbers that a seed decides, all of 64 bits.
struct Noise: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        let first = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        let second = (first ^ first >> 27) &* 0x94D0_49BB_1331_11EB
        return second ^ second >> 31
    }
}

/// Damages files in many ways and decodes what is left: every failure is a typed error.
///
/// `ROUNDS=100` in the environment makes a hundred times as many, and `SEED=3` others.
///
/// - Returns: How many of the damaged files were decoded.
func decodeDamaged(_ pictures: [Picture], rounds: Int, limits: ImageLimits) throws -> Int {
    let environment = ProcessInfo.processInfo.environment
    var noise = Noise(state: environment["SEED"].flatMap { UInt64($0) } ?? 7)
    var decoded = 0
    for round in 0..<rounds * (environment["ROUNDS"].flatMap { Int($0) } ?? 1) {
        for picture in pictures {
            var bytes = picture.bytes
            for _ in 0...Int.random(in: 0...4, using: &noise) {
                // Headers are more worth damaging than pixels.
                let end = Bool.random(using: &noise) ? bytes.count : min(bytes.count, 512)
                bytes[Int.random(in: 0..<end, using: &noise)] = .random(in: 0...255, using: &noise)
            }
            if round % 4 == 3 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &noise)) }
            let policy = DamagePolicy.allCases[round % DamagePolicy.allCases.count]
            let options = DecodeOptions(limits: limits, failOn: policy)
            do {
                let image = try ImageCoders.default.decode(bytes, options: options)
                decoded += image.pixels.count == image.width * image.height * 4 ? 1 : 0
            } catch is ImageError {}
        }
    }
    return decoded
}

/// The most memory that the process has had, in bytes, since the last call of ``resetPeak()``.
func peakByteCount() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) * 1_024
}

func resetPeak() throws {
    try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
}
