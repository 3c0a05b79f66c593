// SPDX-License-Identifier: MIT
import Foundation
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

/// What becomes of files that are cut off.
@Suite(.timeLimit(.minutes(10)))
struct FailOnTests {
    @Test func `a cut file is a failure or a picture that says what is missing, as --fail-on says`() async throws {
        let workplace = try Workplace()
        let file = try ImageFactory.encoded(width: 60, height: 60, seed: 1, as: .jpeg())
        for (name, count) in [("half.jpg", file.count * 2 / 3), ("end.jpg", file.count - 2)] {
            try Data(file.prefix(count)).write(to: workplace.folder.appending(path: name))
        }
        let words = ["--json"] + workplace.folders
        for (name, policy, expected) in [
            ("half.jpg", nil, nil), ("half.jpg", "any-damage", nil),
            ("half.jpg", "never", "missing end, missing pixels"), ("end.jpg", nil, "missing end"),
            ("end.jpg", "truncated", "missing end"), ("end.jpg", "any-damage", nil),
        ] as [(String, String?, String?)] {
            for resize in [[], ["--resize", "8x8", "--format", "png"]] {
                let options = (policy.map { ["--fail-on", $0] } ?? []) + resize
                let run = try await workplace.fetch(words + options + [name])
                expectEqual(run.status == 0, expected != nil, "\(name) \(options)")
                let says = expected.map { run.output.contains(#""damage":"\#($0)""#) }
                expectEqual(says ?? !run.output.contains("damage\":"), true, "\(name) \(options) \(run.output)")
            }
        }
        let wrong = try await workplace.fetch(words + ["--fail-on", "always", "half.jpg"])
        expect(wrong.errors.contains("--fail-on takes never, truncated or any-damage, not always"))
    }
    @Test func `an animation beyond the limits is a failure, or its first frame with --or-first-frame`() async throws {
        let workplace = try Workplace()
        let file = LongGIF.file(side: 16, frames: 10_001, patch: 2)
        try Data(file).write(to: workplace.folder.appending(path: "long.gif"))
        for options in [[], ["--or-first-frame"]] {
            let run = try await workplace.fetch(
                ["--json", "--format", "webp"] + workplace.folders + options + ["long.gif"])
            expectEqual(run.status == 0, !options.isEmpty, "\(options) \(run.errors)")
            guard !options.isEmpty else { continue }
            let line = try required(run.lines.first)
            try expectEqual(workplace.picture(line).frameCount, 1)
        }
    }
}
