// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImage

@testable import fetch

struct ProgressBarsTests {
    private let wide = Terminal.Size(columns: 80, rows: 24)
    private let start = ContinuousClock.now

    private func bars(_ number: Int, name: String = "http://a/") -> ProgressBars {
        var bars = ProgressBars()
        bars.begin(count: number, now: start)
        for _ in 0..<number {
            let id = bars.add(name)
            _ = bars.update(id, LoadProgress(receivedByteCount: 50_000, expectedByteCount: 100_000), now: start)
        }
        return bars
    }

    @Test func `a bar shows the progress of a download, and the total that of all`() {
        var bars = bars(1)
        let text = bars.drawn(on: wide, now: start)
        let blank = { String(repeating: " ", count: $0) }
        let bar = " ########........  50%   50 kB" + blank(11)
        expectEqual(text, "http://a/" + blank(24) + bar + blank(5) + "\n0/1" + blank(30) + bar + " 0:00\n")
    }

    @Test func `a download that has not begun, or was removed, has no bar`() {
        var fresh = ProgressBars()
        fresh.begin(count: 1, now: start)
        _ = fresh.add("http://a/")
        let line = fresh.drawn(on: wide, now: start)
        expectEqual(line.split(separator: "\n").count, 1)
        expect(line.hasPrefix("0/1  "))
        // A late report for one that was removed does nothing.
        var bars = bars(2)
        bars.remove(1)
        let progress = LoadProgress(receivedByteCount: 1, expectedByteCount: nil)
        let isDrawn = bars.update(1, progress, now: start + .seconds(1))
        expect(!isDrawn)
        let text = bars.drawn(on: wide, now: start)
        expectEqual(text.split(separator: "\n").count, 2)
    }

    @Test(arguments: [1, 2, 10, 40, 60, 80, 200], [1, 2, 3, 10, 24, 100])
    func `bars fit into the window and are erased line by line`(columns: Int, rows: Int) {
        let size = Terminal.Size(columns: columns, rows: rows)
        var bars = bars(50, name: "http://a/" + String(repeating: "x", count: 5_000))
        let lines = bars.drawn(on: size, now: start).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        expectEqual(lines.count, max(1, min(13, rows - 2)))
        expect(lines.allSatisfy { $0.count < columns })
        let erasures = [bars.erased(from: size), bars.erased(from: size)]
        expectEqual(erasures, ["\r\u{1B}[\(lines.count)A\u{1B}[J", ""])
    }

    @Test func `a long name keeps its end, and a narrower window has wrapped the lines`() {
        var bars = bars(1, name: "http://a/" + String(repeating: "x", count: 5_000) + "/photo.png")
        let line = bars.drawn(on: wide, now: start).split(separator: "\n")[0]
        expectEqual(line.count, 79)
        expect(line.hasPrefix("http://a/xxx"))
        expect(line.contains("xx..xxxxx/photo.png ###"))
        var two = self.bars(2, name: "http://a/" + String(repeating: "x", count: 5_000))
        _ = two.drawn(on: wide, now: start)
        // Three lines of 79 characters.
        expectEqual(two.erased(from: Terminal.Size(columns: 30, rows: 24)), "\r\u{1B}[9A\u{1B}[J")
    }

    @Test func `bars are not drawn more often than the eye can follow`() {
        var bars = bars(1)
        let progress = LoadProgress(receivedByteCount: 1, expectedByteCount: nil)
        let isFirstDrawn = bars.update(1, progress, now: start)
        _ = bars.drawn(on: wide, now: start)
        let isEarlyDrawn = bars.update(1, progress, now: start + .milliseconds(49))
        let isLaterDrawn = bars.update(1, progress, now: start + .milliseconds(50))
        expectAll(isFirstDrawn, !isEarlyDrawn, isLaterDrawn)
    }

    @Test func `at the end of a run, and of one that was cut short, nothing is drawn`() {
        var bars = bars(2)
        let failure = Outcome(url: "", milliseconds: 0, result: .failure(.init(code: "", message: "")))
        bars.note(failure)
        let half = bars.drawn(on: wide, now: start)
        expect(half.contains("\n1/2, 1 failed "))
        bars.note(failure)
        let end = bars.drawn(on: wide, now: start)
        expectEqual(end, "")
        var short = self.bars(2)
        short.end()
        expectEqual(short.drawn(on: wide, now: start), "")
    }

    @Test func `speed and remaining time follow from what has come`() {
        var bars = bars(1)
        let progress = LoadProgress(receivedByteCount: 75_000, expectedByteCount: 100_000)
        _ = bars.update(1, progress, now: start + .seconds(1))
        let line = bars.drawn(on: wide, now: start + .seconds(1)).split(separator: "\n")[0]
        expect(line.hasSuffix(" 75%   75 kB   25 kB/s  0:01"))
        // One that stands still becomes slower.
        let later = bars.drawn(on: wide, now: start + .seconds(3)).split(separator: "\n")[0]
        expect(later.hasSuffix(" 75%   75 kB    8 kB/s  0:03"), "\(later)")
    }

    @Test
    func `a line has as many numbers as there is room for, and a bar in eighths where letters are more than ASCII`() {
        let line = ProgressLine(
            name: "a", fraction: 0.6, byteCount: 2_000, speed: 1_000, remaining: .seconds(65))
        let ascii = ProgressLine.Style(colours: .none, isUnicode: false)
        for (columns, end) in [
            (100, "  60%    2 kB    1 kB/s  1:05"), (50, " ####....  60%    2 kB    1 kB/s  1:05"),
            (36, " ###...  60%  1:05"),
            (24, "a                    60%"), (23, "a"),
        ] as [(Int, String)] {
            let text = line.text(columns: columns, step: 0, ascii)
            expect(text.hasSuffix(end), "\(columns): \(text)")
            expect(text.count, <=, columns)
        }
        let fine = line.text(columns: 36, step: 0, .init(colours: .init(isOn: true), isUnicode: true))
        expect(fine.contains(" \u{1B}[32m███▌░░\u{1B}[0m  60%"), "\(fine)")
    }

    @Test func `the speed is that of the last seconds`() {
        var meter = SpeedMeter()
        for second in 0...10 {
            meter.note(second < 5 ? second * 1_000 : 5_000 + (second - 5) * 100, now: start + .seconds(second))
        }
        expectEqual(meter.speed(now: start + .seconds(10)), 100)
        expectNil(SpeedMeter().speed(now: start))
    }

    @Test func `the bar of an unknown length moves`() {
        var bars = ProgressBars()
        bars.begin(count: 1, now: start)
        _ = bars.update(bars.add("a"), LoadProgress(receivedByteCount: 5, expectedByteCount: nil), now: start)
        let drawn = (0..<40).map { _ in bars.drawn(on: wide, now: start).split(separator: "\n")[0] }
        expectEqual(Set(drawn).count, 14)
        expect(drawn.allSatisfy { $0.contains("###") && !$0.contains("%") && $0.count == 79 })
    }

    @Test func `a summary names what came from where`() {
        var bars = bars(3)
        let picture = Outcome.Picture(
            source: .network, format: .png, width: 1, height: 1, frames: 1, bytes: 1_500_000, file: "")
        for source in [Outcome.Source.network, .disk, .network] {
            var copy = picture
            copy.source = source
            bars.note(Outcome(url: "", milliseconds: 0, result: .success(copy)))
        }
        bars.note(Outcome(url: "", milliseconds: 0, result: .failure(.init(code: "", message: ""))))
        expectEqual(
            bars.summary(now: start + .milliseconds(7_150)), "3 pictures, 4.5 MB in 7.1 s: 2 network, 1 disk; 1 failed")
        var one = Tally()
        one.note(Outcome(url: "", milliseconds: 0, result: .success(picture)))
        expectEqual(one.summary(took: .zero), "1 picture, 1.5 MB in 0.0 s: 1 network")
    }
}
