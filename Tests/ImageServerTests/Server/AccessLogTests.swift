// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing

@testable import ImageServer
@testable import WebImage

@Suite(.timeLimit(.minutes(10)))
struct AccessLogTests {
    @Test func `a line of the log is one object, in which a long target is cut off and nothing turns its direction`()
        throws
    {
        var lines = LogLines()
        let request = FinishedRequest(
            id: "a1", trace: "b2", peer: "127.0.0.1", method: "GET", target: "/\"\n", status: 200, byteCount: 5,
            took: .microseconds(61_502), isComplete: true, notes: [.init(name: "source", value: "memory")])
        for time in [0, 0.25, 1, 0.007] { lines.add(request, at: Date(timeIntervalSince1970: time)) }
        let found = String(decoding: lines.bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        let expected = ["00.000", "00.250", "01.000", "00.007"].map {
            """
            {"time":"1970-01-01T00:00:\($0)Z","id":"a1","trace":"b2","peer":"127.0.0.1","method":"GET",\
            "target":"/\\"\\u000a",\
            "status":200,"bytes":5,"milliseconds":61.502,"complete":true,"source":"memory"}
            """
        }
        expectEqual(found.map(String.init), expected + [""])
        var turned = FinishedRequest(
            id: "a1", peer: "", method: "GET", target: "/\u{202E}gpj.exe", status: 200, byteCount: 0, took: .zero,
            isComplete: true, notes: [])
        lines.bytes = []
        lines.add(turned, at: .now)
        #expect(String(decoding: lines.bytes, as: UTF8.self).contains(#""target":"/\u202egpj.exe","#))
        turned.target = String(repeating: "ä", count: 5_000)
        lines.bytes = []
        lines.add(turned, at: .now)
        expectEqual(String(decoding: lines.bytes, as: UTF8.self).count { $0 == "ä" }, 1_000)
        // The steps of a load, with their times.
        lines.bytes = []
        for kind in [
            .cacheHit(.disk), .waitingForMemory(byteCount: 9), .stored(byteCount: 9),
            .failed(ImageLoadError(code: .overloaded, message: "")),
            .started(waited: .microseconds(2_003)),
        ] as [LoadActivity.Kind] {
            lines.add(LoadActivity(url: nil, label: "a1", kind: kind), at: Date(timeIntervalSince1970: 0))
        }
        let steps = String(decoding: lines.bytes, as: UTF8.self).split(separator: "\n").map { $0.dropFirst(42) }
        let names = ["hit in disk", "waitingForMemory", "stored"].map { #""\#($0)","id":"a1"}"# }
        expectEqual(steps.map(String.init), names + [#""started","id":"a1","milliseconds":2.003}"#])
    }

    @Test func `each line is written soon, also after a pause, and one that is dropped is told`() async throws {
        let pipe = Pipe()
        let reader = pipe.fileHandleForReading
        let log = AccessLog(descriptor: pipe.fileHandleForWriting.fileDescriptor, byteLimit: 1_500)
        let request = FinishedRequest(
            id: String(repeating: "x", count: 900), peer: "", method: "GET", target: "/", status: 200, byteCount: 0,
            took: .zero, isComplete: true, notes: [])
        for _ in 0..<3 {
            log.write(request)
            let text = await Task.detached { String(decoding: reader.availableData, as: UTF8.self) }.value
            expectEqual(text.count { $0 == "\n" }, 1)
        }
        for _ in 0..<2 { log.write(request) }
        log.flush(within: 60)
        log.write(request)
        log.flush(within: 60)
        try pipe.fileHandleForWriting.close()
        let lines = String(decoding: reader.readDataToEndOfFile(), as: UTF8.self).split(separator: "\n")
        // Two lines and one that is told, or three where the writer was quick.
        expectEqual(lines.count, 3)
    }

    @Test func `a log that is not read loses lines and tells how many`() async throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        // A full pipe takes no line.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        while unsafe write(descriptor, "\n", 1) == 1 {}
        _ = fcntl(descriptor, F_SETFL, 0)
        let log = AccessLog(descriptor: descriptor, byteLimit: 1_500)
        let request = FinishedRequest(
            id: String(repeating: "x", count: 900), peer: "", method: "GET", target: "/", status: 200, byteCount: 0,
            took: .zero, isComplete: true, notes: [])
        // One is being written and one waits, at most.
        for _ in 0..<20 { log.write(request) }
        let reader = Task.detached { pipe.fileHandleForReading.readDataToEndOfFile() }
        log.flush(within: 60)
        log.write(request)
        log.flush(within: 60)
        try pipe.fileHandleForWriting.close()
        let lines = String(decoding: await reader.value, as: UTF8.self).split(separator: "\n")
        let dropped = lines.compactMap { Int($0.dropFirst(#"{"droppedLines":"#.count).dropLast()) }
        expectAll(dropped.count == 1, dropped[0] >= 18)
        expectEqual(lines.count - 1 + dropped.reduce(0, +), 21)
    }
}
