import Testing
import WebImage

@testable import fetch

struct ProgressBarsTests {
    private let wide = Terminal.Size(columns: 80, rows: 24)
    private let start = ContinuousClock.now

    private func bars(_ number: Int, name: String = "http://a/") -> ProgressBars {
        var bars = ProgressBars()
        bars.count = number
        for _ in 0..<number {
            let id = bars.add(name)
            _ = bars.update(id, LoadProgress(receivedByteCount: 50_000, expectedByteCount: 100_000), now: start)
        }
        return bars
    }

    @Test func `a bar shows the progress of a download, and the total that of all`() {
        var bars = bars(1)
        let text = bars.drawn(on: wide, now: start)
        #expect(
            text == """
                [############............]     50 kB http://a/
                [........................] 0 of 1 done

                """)
    }

    @Test func `a download that has not begun has no bar`() {
        var bars = ProgressBars()
        bars.count = 1
        _ = bars.add("http://a/")
        let text = bars.drawn(on: wide, now: start)
        #expect(text == "[........................] 0 of 1 done\n")
    }

    @Test(arguments: [1, 2, 10, 40, 60, 80, 200], [1, 2, 3, 10, 24, 100])
    func `bars fit into the window and are erased line by line`(columns: Int, rows: Int) {
        let size = Terminal.Size(columns: columns, rows: rows)
        var bars = bars(50, name: "http://a/" + String(repeating: "x", count: 5_000))
        let lines = bars.drawn(on: size, now: start).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.count == max(1, min(13, rows - 2)))
        #expect(lines.allSatisfy { $0.count < columns })
        let erasures = [bars.erased(from: size), bars.erased(from: size)]
        #expect(erasures == ["\u{1B}[\(lines.count)A\u{1B}[J", ""])
    }

    @Test func `a long name keeps its end`() {
        var bars = bars(1, name: "http://a/" + String(repeating: "x", count: 5_000) + "/photo.png")
        let line = bars.drawn(on: wide, now: start).split(separator: "\n")[0]
        #expect(line.count == 79)
        #expect(line.contains(" ..xx"))
        #expect(line.hasSuffix("/photo.png"))
    }

    @Test func `a narrower window has wrapped the lines`() {
        var bars = bars(2, name: "http://a/" + String(repeating: "x", count: 5_000))
        _ = bars.drawn(on: wide, now: start)
        // 79, 79 and 38 characters.
        let erasure = bars.erased(from: Terminal.Size(columns: 30, rows: 24))
        #expect(erasure == "\u{1B}[8A\u{1B}[J")
    }

    @Test func `bars are not drawn more often than the eye can follow`() {
        var bars = bars(1)
        let progress = LoadProgress(receivedByteCount: 1, expectedByteCount: nil)
        let isFirstDrawn = bars.update(1, progress, now: start)
        _ = bars.drawn(on: wide, now: start)
        let isEarlyDrawn = bars.update(1, progress, now: start + .milliseconds(49))
        let isLaterDrawn = bars.update(1, progress, now: start + .milliseconds(50))
        #expect(isFirstDrawn && !isEarlyDrawn && isLaterDrawn)
    }

    @Test func `a bar that was removed is not drawn, and a late report for it does nothing`() {
        var bars = bars(2)
        bars.remove(1)
        let progress = LoadProgress(receivedByteCount: 1, expectedByteCount: nil)
        let isDrawn = bars.update(1, progress, now: start + .seconds(1))
        #expect(!isDrawn)
        let text = bars.drawn(on: wide, now: start)
        #expect(text.split(separator: "\n").count == 2)
    }

    @Test func `at the end nothing is drawn`() {
        var bars = bars(2)
        let failure = Outcome(url: "", milliseconds: 0, result: .failure(.init(code: "", message: "")))
        bars.note(failure)
        let half = bars.drawn(on: wide, now: start)
        #expect(half.hasSuffix("[############............] 1 of 2 done, 1 failed\n"))
        bars.note(failure)
        let end = bars.drawn(on: wide, now: start)
        #expect(end == "")
    }
}
