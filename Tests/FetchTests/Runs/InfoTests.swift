// SPDX-License-Identifier: MIT
import Foundation
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import fetch

@Suite(.timeLimit(.minutes(10)))
struct InfoTests {
    /// An EXIF block with a camera, an orientation, a shot and a place.
    private static let exif: [UInt8] = {
        func main(_ shot: Int, _ place: Int) -> [UInt8] {
            directory(
                [
                    text(0x010F, "Abc"), text(0x0110, "One\u{1B}[2J"), text(0x0110, "Two"), (0x0112, 3, 1, big(6, 2)),
                    (0x8769, 4, 1, big(shot, 4)), (0x8825, 4, 1, big(place, 4)),
                ], at: 8)
        }
        let start = 8 + main(0, 0).count
        let shot = directory(
            [
                (0x829A, 5, 1, big(2, 4) + big(249, 4)), (0x829D, 5, 1, big(18, 4) + big(10, 4)),
                (0x8827, 3, 1, big(64, 2)), text(0x9003, "2024:05:01 12:30:00"), (0x920A, 5, 1, big(26, 4) + big(1, 4)),
            ], at: start)
        let place = directory([text(1, "N"), (2, 5, 1, big(471_234, 4) + big(10_000, 4))], at: start + shot.count)
        return Array("Exif\0\0MM\0*".utf8) + big(8, 4) + main(start, start + shot.count) + shot + place
    }()

    private typealias Entry = (tag: Int, type: Int, count: Int, bytes: [UInt8])

    private static func directory(_ entries: [Entry], at offset: Int) -> [UInt8] {
        var (head, data) = (big(entries.count, 2), [UInt8]())
        for entry in entries {
            head += big(entry.tag, 2) + big(entry.type, 2) + big(entry.count, 4)
            let isShort = entry.bytes.count <= 4
            head +=
                isShort
                ? entry.bytes + [UInt8](repeating: 0, count: 4 - entry.bytes.count)
                : big(offset + 6 + 12 * entries.count + data.count, 4)
            if !isShort { data += entry.bytes }
        }
        return head + big(0, 4) + data
    }

    private static func text(_ tag: Int, _ text: String) -> Entry {
        (tag, 2, text.utf8.count + 1, Array(text.utf8) + [0])
    }

    private static func big(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func jpeg() throws -> [UInt8] {
        let file = try Pictures.bytes(width: 64, height: 48, as: .jpeg())
        return [0xFF, 0xD8, 0xFF, 0xE1] + big(exif.count + 2, 2) + exif + file[2...]
    }

    @Test func `a head tells what a picture is, and pixels that are damaged or far too many are not looked at`()
        async throws
    {
        try await withOriginServer { origin in
            let workplace = try Workplace()
            origin.respond(to: "/bomb", with: .ok(ImageFactory.oversizedPNG()))
            let whole = try Self.jpeg()
            // Behind the tables of the head, every byte is another.
            let scan = try required(whole.lastIndex { $0 == 0xDA })
            let damaged = whole[..<(scan + 12)] + whole[(scan + 12)...].map { _ in 0x55 }
            try Data(damaged).write(to: workplace.folder.appending(path: "a.jpg"))
            let bomb = origin.url("/bomb").absoluteString
            let run = try await workplace.fetch(workplace.options + ["--info", bomb, "a.jpg", "nowhere"])
            expectEqual(run.status, 1)
            let objects = try run.output.split(separator: "\n").map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
            expectEqual(objects.map { $0["url"] as? String }, [bomb, "a.jpg", "nowhere"])
            expectEqual(objects[0]["width"] as? Int, 30_000)
            expectEqual(objects[1]["width"] as? Int, 48)
            expectEqual(objects[1]["bytes"] as? Int, damaged.count)
            expectEqual(objects[1]["orientation"] as? Int, 6)
            expectEqual(objects[1]["camera"] as? String, "Abc One\u{1B}[2J")
            expectEqual(objects[1]["hasPlace"] as? Bool, true)
            let numbers = ["exposureSeconds", "aperture", "sensitivity", "focalLength"].map {
                objects[1][$0] as? Double
            }
            expectEqual(numbers.dropFirst(), [1.8, 64, 26])
            expect(abs((numbers[0] ?? 0) * 249 - 2), <, 1e-6)
            expectEqual(objects[1]["time"] as? String, "2024:05:01 12:30:00")
            expectEqual(objects[2]["ok"] as? Bool, false)
            expectAll(!run.output.contains("47.1"), !run.output.contains("\u{1B}"))
            expectEqual(workplace.names(in: workplace.folder), ["a.jpg", "errors", "input", "output"])
        }
    }

    @Test func `a line has the facts, and more lines have what most pictures have not`() throws {
        let info = try PictureInfo(Self.jpeg())
        let count = try Self.jpeg().count
        expectEqual(
            info.text(named: "a.jpg"),
            """
            a.jpg: jpeg, 48x64, \(Amount.bytes(count))
              shown     turned right
              camera    Abc One\\u{1B}[2J
              time      2024:05:01 12:30:00
              exposure  1/125 s, f/1.8, ISO 64, 26 mm
              place     in the file; not printed
            """)
        // A model that repeats its maker, a long exposure, and a time of the file alone.
        func main(_ shot: Int) -> [UInt8] {
            let names = [
                Self.text(0x010F, "Abc"), Self.text(0x0110, "ABC 5"), Self.text(0x0132, "2020:01:02 03:04:05"),
            ]
            return Self.directory(names + [(0x8769, 4, 1, Self.big(shot, 4))], at: 8)
        }
        let start = 8 + main(0).count
        let times: [Entry] = [(0x829A, 5, 1, Self.big(25, 4) + Self.big(10, 4)), Self.text(0xA434, " Lens ")]
        let exif = Exif((Array("MM\0*".utf8) + Self.big(8, 4) + main(start) + Self.directory(times, at: start))[...])
        expectEqual([exif.camera, exif.lens, exif.time], ["ABC 5", "Lens", "2020:01:02 03:04:05"])
        expectAll(exif.settings == "2.5 s", !exif.hasPlace)
        let still = try PictureInfo(ImageFactory.encodedAnimation(width: 9, height: 8, frames: 3, seed: 1, as: .gif))
        expect(still.text(named: "c").hasPrefix("c: gif, 9x8, 3 frames, "))
        let clear = ImageFactory.picture(width: 9, height: 8, seed: 1, hasAlpha: true)
        let file = try ImageCoders.default.encode(clear, as: .losslessWebP)
        try expectEqual(PictureInfo(file).text(named: "d"), "d: webp, 9x8, \(file.count) B, transparent, lossless")
        let plain = try PictureInfo(Pictures.bytes())
        expect(plain.text(named: "b\u{7}.png").hasPrefix("b\\u{07}.png: png, 64x48, "))
    }

    @Test(arguments: [true, false]) func `the name of a colour profile is read from both kinds of text`(isOld: Bool)
        throws
    {
        let old = Array("desc".utf8) + Self.big(0, 4) + Self.big(6, 4) + Array("Ocean\0".utf8)
        let new =
            Array("mluc".utf8) + Self.big(0, 4) + Self.big(1, 4) + Self.big(12, 4) + Array("enUS".utf8)
            + Self.big(10, 4) + Self.big(28, 4) + Array("\0O\0c\0e\0a\0n".utf8)
        let text = isOld ? old : new
        var profile = [UInt8](repeating: 0, count: 128) + Self.big(1, 4) + Array("desc".utf8) + Self.big(144, 4)
        profile += Self.big(text.count, 4) + text
        profile.replaceSubrange(0..<4, with: Self.big(profile.count, 4))
        profile.replaceSubrange(36..<40, with: Array("acsp".utf8))
        let block = Array("ICC_PROFILE\0".utf8) + [1, 1] + profile
        let file = try Pictures.bytes(as: .jpeg())
        let info = try PictureInfo([0xFF, 0xD8, 0xFF, 0xE2] + Self.big(block.count + 2, 2) + block + file[2...])
        expect(info.text(named: "a").contains("\n  colours   Ocean"), "\(info.text(named: "a"))")
    }

    @Test func `an EXIF block that is cut or changed anywhere is read without a fault`() {
        for end in 0...Self.exif.count { _ = Exif(Self.exif[..<end]).settings }
        for place in Self.exif.indices {
            for byte in [0, 0x7F, 0xFF] as [UInt8] {
                var block = Self.exif
                block[place] = byte
                let exif = Exif(block[...])
                expect(exif.settings.count, <, 200)
            }
        }
    }
}
