// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImage

@testable import fetch

struct OutcomeTests {
    private static func success(
        _ url: String, file: String = "pictures/a.png", frames: Int = 1, damage: ImageDamage = []
    ) -> Outcome {
        Outcome(
            url: url, milliseconds: 12, answer: .init(status: 200, contentType: "image/png"),
            result: .success(
                .init(
                    source: .network, format: .png, width: 640, height: 480, frames: frames, bytes: 1234, file: file,
                    damage: damage)))
    }

    private static func failure(_ url: String, _ message: String) -> Outcome {
        Outcome(
            url: url, milliseconds: 12, answer: .init(status: 404, contentType: nil),
            result: .failure(.init(code: "timedOut", message: message)))
    }

    private static let hostile = [
        "http://a/", "", "\"\\/\u{8}\u{C}\n\r\t", "\0\u{1B}[2J\u{7F}\u{85}\u{9B}31m",
        "\u{2028}\u{2029}\u{202E}\u{FEFF}",
        "😀é\u{301}写", "</script>", "\u{E0001}tag", String(repeating: "\"", count: 10_000),
    ]

    @Test func `what an origin answered is told without a control character`() {
        let answer = Outcome.Answer(status: 200, contentType: "image/png\u{1B}[2J\u{202E}")
        let outcome = Outcome(
            url: "", milliseconds: 1, answer: answer, result: .failure(.init(code: "", message: "")))
        expectEqual(outcome.details, [#"status 200, image/png\u{1B}[2J\u{202E}"#])
    }

    @Test func `amounts are rounded, and none has a thousand of its unit`() {
        for (count, text) in [
            (999, "999 B"), (1_000, "1 kB"), (999_499, "999 kB"), (999_500, "1.0 MB"), (99_949_999, "99.9 MB"),
            (99_950_000, "100 MB"), (999_499_999, "999 MB"), (999_500_000, "1.0 GB"), (123_456_000_000, "123 GB"),
        ] { expectEqual(Amount.bytes(count), text) }
        expectEqual([9_999, 10_000, 59_999, 60_000].map(Amount.milliseconds), ["9999 ms", "10.0 s", "59.9 s", "1:00"])
        let ages: [Int64] = [-5, 59, 60, 3_599, 3_600, 86_399, 86_400]
        expectEqual(ages.map(Amount.age), ["0 s", "59 s", "1 min", "59 min", "1 h", "23 h", "1 d"])
        for (seconds, text) in [(7, "0:07"), (125, "2:05"), (3_725, "1:02:05"), (1_000_000, "99:59:59"), (-1, "0:00")] {
            expectEqual(Amount.clock(.seconds(seconds)), text)
        }
    }

    /// Bytes, because strings with different bytes may be equal.
    private func bytes(_ value: Any?) -> [UInt8]? { (value as? String).map { Array($0.utf8) } }

    @Test(arguments: hostile)
    func `an outcome is one line with one JSON object, and nothing in it moves the cursor or turns its direction`(
        text: String
    ) throws {
        let (success, failure) = (Self.success(text, file: "out/" + text), Self.failure(text, text))
        for outcome in [success, failure] {
            expect(!outcome.json.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
            let isPlain = outcome.line.unicodeScalars.allSatisfy {
                ![.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
            }
            expect(isPlain, "\(outcome.line)")
        }
        let object = try JSONSerialization.jsonObject(with: Data(success.json.utf8)) as? [String: Any]
        let fields = try required(object)
        expectEqual(bytes(fields["url"]), Array(text.utf8))
        expectEqual(bytes(fields["file"]), Array("out/\(text)".utf8))
        expectEqual(fields["ok"] as? Bool, true)
        let numbers = ["width": 640, "height": 480, "frames": 1, "bytes": 1234, "milliseconds": 12, "status": 200]
        for (name, number) in numbers { expectEqual(fields[name] as? Int, number, "\(name)") }
        let words = ["source": "network", "format": "png", "contentType": "image/png"]
        for (name, word) in words { expectEqual(fields[name] as? String, word, "\(name)") }
        expectEqual(Set(fields.keys), Set(["url", "ok", "file"] + numbers.keys + words.keys))
        let reasons = try JSONSerialization.jsonObject(with: Data(failure.json.utf8)) as? [String: Any]
        let reason = try required(reasons)
        expectEqual(Set(reason.keys), ["url", "ok", "error", "status", "milliseconds"])
        expectEqual(reason["ok"] as? Bool, false)
        expectEqual(reason["status"] as? Int, 404)
        let error = try required(reason["error"] as? [String: String])
        expectEqual(error["code"], "timedOut")
        expectEqual(bytes(error["message"]), Array(text.utf8))
    }

    @Test func `a line begins with the source and ends with file and URL, and the second comes from memory`() {
        expectEqual(
            Self.success("http://a/").line,
            "network      png   640x480         1234 bytes        12 ms     pictures/a.png  http://a/")
        expect(Self.success("http://a/", frames: 8).line.contains("  640x480x8  "))
        expectEqual(Self.failure("http://a/", "Too slow.").line, "failed   timedOut: Too slow.  http://a/")
        expectEqual(
            Self.success("http://a/").again.line,
            "memory       png   640x480         1234 bytes        0 ms      pictures/a.png  http://a/")
        expectEqual(Self.failure("http://a/", "Too slow.").again.line, Self.failure("http://a/", "Too slow.").line)
    }

    @Test func `a damaged picture says what is wrong with it`() {
        let outcome = Self.success("http://a/", damage: [.missingEnd, .missingPixels])
        expect(outcome.json.contains(#","damage":"missing end, missing pixels","#))
        expect(outcome.line.hasSuffix("  pictures/a.png  http://a/  damaged: missing end, missing pixels"))
    }

    @Test func `text without special characters is not changed`() {
        expectEqual("http://a/\u{E9}😀\\u{1B}".printable, "http://a/\u{E9}😀\\u{1B}")
        expectEqual("a\u{1B}b\u{202E}".printable, "a\\u{1B}b\\u{202E}")
        // In the columns that a terminal gives it.
        let texts = ["aé", "写", "한", "\u{FF21}", "😀", "e\u{301}", "\u{200B}", "｡"]
        expectEqual(texts.map(\.columnCount), [2, 2, 2, 2, 2, 1, 0, 1])
    }

    @Test func `a failure names the most specific code, and the option that helps`() {
        let cause = ImageError(code: .truncated, message: "The file ends early.")
        let error = ImageLoadError(code: .undecodable, message: "No picture.", cause: cause)
        expectEqual(Outcome.Failure(error).code, "truncated")
        expectEqual(Outcome.Failure(error).message, "No picture. --fail-on never draws what is there.")
        expectEqual(Outcome.Failure(Outcome.Failure(code: "invalidURL", message: "No.")).code, "invalidURL")
        let refusal = ImageLoadError(
            code: .transferFailed, message: "127.0.0.1 is a loopback address.",
            advice: "Allow its network in the address policy.", cause: HTTPError(code: .addressNotAllowed, message: ""))
        expectEqual(Outcome.Failure(refusal).message, "127.0.0.1 is a loopback address. --allow-private allows it.")
        // Advice in the library's names is of no use here, also where no option helps.
        let unknown = ImageLoadError(code: .undecodable, message: "No decoder.", advice: "Insert one into `decoders`.")
        expectEqual(Outcome.Failure(unknown).message, "No decoder.")
        for (code, option) in [
            (.bodyTooLarge, "--max-bytes"), (.certificateExpired, "--insecure"), (.timedOut, "--timeout"),
            (.certificateHostMismatch, "--insecure"), (.connectionLost, "--retry"), (.tooManyOpenFiles, "ulimit"),
            (.proxyAuthenticationRequired, "--proxy"), (.redirectNotAllowed, "Give the address"),
        ] as [(HTTPError.Code, String)] {
            let cause = HTTPError(code: code, message: "")
            let error = ImageLoadError(code: .transferFailed, message: "No.", advice: "`a`.", cause: cause)
            expect(Outcome.Failure(error).message.hasPrefix("No. \(option)"), "\(code)")
        }
        for (code, option) in [(.overloaded, "Give fewer"), (.queueTimedOut, "--concurrency")]
            as [(ImageLoadError.Code, String)]
        {
            let message = Outcome.Failure(ImageLoadError(code: code, message: "No.")).message
            expect(message.hasPrefix("No. \(option)"), "\(message)")
        }
        for (status, option) in [(401, "No. 401. --user"), (429, "No. 429. --retry"), (503, "No. 503. --retry")] {
            let error = ImageLoadError(code: .unacceptableStatus, message: "No. \(status).")
            expect(Outcome.Failure(error).message.hasPrefix(option), "\(status): \(Outcome.Failure(error).message)")
        }
    }

    @Test(arguments: [1, 2, 10, 36, 40, 60, 80, 120, 200]) func `a line for a terminal fits into it`(columns: Int) {
        for (url, file) in [
            ("http://a/", "a.png"), (String(repeating: "写", count: 300), String(repeating: "é", count: 99)),
        ] {
            for damage in [[], ImageDamage([.missingEnd, .missingPixels])] {
                let line = Self.success(url, file: file, frames: 8, damage: damage).line(columns: columns, .none)
                expect(line.columnCount, <, max(columns, 14))
                expect(line.hasPrefix("network"))
                expectEqual(line.contains("missing end, missing pixels"), (!damage.isEmpty && columns >= 40))
            }
        }
    }

    @Test(arguments: [40, 80, 120]) func `lines of pictures that differ in a letter differ`(columns: Int) {
        let files = ["a", "b"].map { "pictures/of/a/journey/photograph-\($0)-1a2b3c4d5e.jpg" }
        let lines = files.map { Self.success("http://a/", file: $0).line(columns: columns, .none) }
        expect(lines[0] != lines[1])
        // Whole names, the folder where it fits.
        for (line, file) in zip(lines, files) { expect(line.contains(columns < 120 ? String(file.suffix(27)) : file)) }
    }

    @Test(arguments: [40, 80, 120]) func `lines of the same picture of two origins differ`(columns: Int) {
        let urls = (1...2).map { "http://127.0.0.1:4000\($0)/a/long/way/to/photographs/of/a/journey/0.jpg" }
        let labels = Labels(urls)
        let lines = urls.map { Self.success($0, file: "0.jpg").line(columns: columns, .none, labels) }
        expect(lines[0] != lines[1])
        expect(lines.allSatisfy { $0.columnCount < columns })
    }

    @Test func `colours change no letter, and only a terminal has them`() {
        let outcome = Self.success("http://a/")
        let plain = outcome.line(columns: 80, .none)
        let coloured = outcome.line(columns: 80, Colours(isOn: true))
        expect(coloured.hasPrefix("\u{1B}[32mnetwork\u{1B}[0m "))
        expect(coloured.replacing(/\u{1B}\[[0-9]*m/, with: "") == plain)
        expect(!outcome.line.contains("\u{1B}"))
    }
}
