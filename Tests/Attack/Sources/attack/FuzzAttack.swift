// SPDX-License-Identifier: MIT
import Foundation
import WebImage
import WebImageTesting

/// Decodes damaged files, and reads damaged cache files. Each seed stands for one file and its damage.
///
/// The seed is written to a file before its turn, where the runner finds it when the process dies.
struct FuzzAttack {
    private struct Subject {
        let name: String
        let bytes: [UInt8]
    }

    private let state: FileHandle
    private let scratch: String
    private let seed: UInt64
    private let stride: UInt64
    private let count: Int
    private let end: ContinuousClock.Instant
    private let subjects: [Subject]

    /// - Parameter words: The file for the seed, the first seed, the step to the next, how many at most, and for how
    ///   many seconds.
    init(_ words: [String]) throws {
        _ = FileManager.default.createFile(atPath: words[0], contents: nil)
        state = try FileHandle(forWritingTo: URL(filePath: words[0]))
        scratch = words[0] + ".cache"
        seed = UInt64(words[1])!
        stride = UInt64(words[2])!
        count = Int(words[3])!
        end = ContinuousClock.now + .seconds(Double(words[4])!)
        subjects = try Self.makeSubjects()
    }

    func run() async throws {
        let cache = DiskCache(.init(folder: scratch, onWarning: { _ in }))
        let entries = try await CacheFiles(cache, folder: scratch)
        var seed = self.seed
        var (tried, accepted) = (0, 0)
        while tried < count, ContinuousClock.now < end {
            let kind = Int(seed % UInt64(subjects.count + 1))
            try state.seek(toOffset: 0)
            let name = kind < subjects.count ? subjects[kind].name : "entry"
            try state.write(contentsOf: Data("\(seed) \(name)     ".utf8))
            var mutation = Mutation(seed: seed)
            if kind < subjects.count {
                accepted += try attack(subjects[kind], &mutation) ? 1 : 0
            } else {
                accepted += try await entries.attack(&mutation) ? 1 : 0
            }
            tried += 1
            seed &+= stride
        }
        _ = await cache.shutdown(within: .seconds(5))
        try? FileManager.default.removeItem(atPath: scratch)
        print("\(tried) \(accepted)")
    }

    /// Small files of every kind that is written here.
    private static func makeSubjects() throws -> [Subject] {
        let still: [(String, EncodedFormat)] = [
            ("jpeg", .jpeg()), ("progressive-jpeg", .jpeg(isProgressive: true)), ("png", .png), ("gif", .gif),
            ("webp", .webp()), ("lossless-webp", .losslessWebP),
        ]
        let moving: [(String, EncodedFormat)] = [("gif-animation", .gif), ("webp-animation", .webp())]
        let picture = ImageFactory.picture(width: 41, height: 33, seed: 77, hasAlpha: true)
        let animation = ImageFactory.animation(width: 33, height: 41, frames: 3, seed: 78, hasAlpha: true)
        let coders = ImageCoders.default
        let bitmaps = [
            Subject(name: "bmp", bytes: ImageFactory.bitmapFile(width: 21, height: 17, seed: 79)),
            Subject(name: "bmp-runs", bytes: ImageFactory.bitmapFile(width: 21, height: 17, seed: 80, inRuns: true)),
            Subject(name: "ico", bytes: ImageFactory.iconFile(side: 16, seed: 81)),
        ]
        return try bitmaps + still.map { Subject(name: $0.0, bytes: try coders.encode(picture, as: $0.1)) }
            + moving.map { Subject(name: $0.0, bytes: try coders.encode(animation, as: $0.1)) }
    }

    /// - Returns: Whether the file was accepted.
    private func attack(_ subject: Subject, _ mutation: inout Mutation) throws -> Bool {
        if mutation.next(below: 8) == 0 {
            let prefix = Array(subject.bytes.prefix(mutation.next(below: subject.bytes.count)))
            if decodes(prefix, DecodeOptions(failOn: .anyDamage)) {
                loss("\(prefix.count) bytes of \(subject.bytes.count) decode")
            }
            return false
        }
        let other = subjects[mutation.next(below: subjects.count)].bytes
        var bytes = mutation.damaged(subject.bytes, with: other)
        if subject.name == "png", mutation.next(below: 4) > 0 { Mutation.repairPNG(&bytes) }
        var options = DecodeOptions(limits: ImageLimits(maximumPixelCount: 1 << 22))
        if mutation.next(below: 16) == 0 { options.limits = .default }
        options.failOn = DamagePolicy.allCases[mutation.next(below: 3)]
        options.firstFrameOnly = mutation.next(below: 4) == 0
        if mutation.next(below: 3) == 0 {
            options.thumbnail = .resize(
                to: PixelSize(width: 1 + mutation.next(below: 60), height: 1 + mutation.next(below: 60)),
                mode: [.fit, .fill, .stretch][mutation.next(below: 3)])
        }
        return decodes(bytes, options)
    }

    private func decodes(_ bytes: [UInt8], _ options: DecodeOptions) -> Bool {
        let coders = ImageCoders.default
        _ = try? coders.properties(of: bytes, options: options)
        guard let image = try? coders.decode(bytes, options: options) else { return false }
        for frame in image.frames where frame.pixels.count != image.width * image.height * 4 {
            loss("\(frame.pixels.count) bytes of pixels for \(image.width) by \(image.height)")
        }
        return true
    }
}
