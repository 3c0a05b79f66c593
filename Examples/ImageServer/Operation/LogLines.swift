// SPDX-License-Identifier: MIT
import PlatformBasics
import WebImage

/// Lines of JSON, one after the other.
struct LogLines {
    /// The lines, each with its end.
    var bytes: [UInt8] = []
    /// The second of the last line, and its text up to the fraction.
    private var second = (number: Int.min, text: "")

    /// Adds the line of a request.
    mutating func add(_ request: FinishedRequest, at now: Date) {
        begin(at: now)
        add("id", request.id)
        if !request.trace.isEmpty { add("trace", request.trace) }
        add("peer", request.peer)
        add("method", request.method)
        add("target", request.target)
        add("status", number: request.status)
        add("bytes", number: request.byteCount)
        add("milliseconds", request.took)
        name("complete")
        bytes += (request.isComplete ? "true" : "false").utf8
        for note in request.notes { add(note.name, note.value) }
        end()
    }

    /// Adds the line of a step, with the id of the request whose load it is; nothing for a step that is logged with its
    /// request.
    mutating func add(_ activity: LoadActivity, at now: Date) {
        let step: (name: String, took: Duration?)
        switch activity.kind {
        case .queued: step = ("queued", nil)
        case .started(let waited): step = ("started", waited)
        case .firstByte(let wait): step = ("firstByte", wait)
        case .cacheHit(let source): step = ("hit in \(source.rawValue)", nil)
        case .waitingForMemory: step = ("waitingForMemory", nil)
        case .decoded(_, _, let took): step = ("decoded", took)
        case .stored: step = ("stored", nil)
        case .progress, .writeDropped, .cacheFailed, .finished, .cancelled, .failed: return
        }
        begin(at: now)
        add("step", step.name)
        if let id = activity.label { add("id", id) }
        if let took = step.took { add("milliseconds", took) }
        end()
    }

    /// Adds a line that tells how many lines are missing here.
    mutating func add(droppedCount: Int) { bytes += "{\"droppedLines\":\(droppedCount)}\n".utf8 }

    // MARK: - Members

    private mutating func begin(at now: Date) {
        let milliseconds = Int((max(0, now.timeIntervalSince1970) * 1_000).rounded())
        let number = milliseconds / 1_000
        if number != second.number {
            let text = Date(timeIntervalSince1970: Double(number)).ISO8601Format()
            second = (number, String(text.dropLast()))
        }
        bytes += "{\"time\":\"".utf8
        bytes += second.text.utf8
        add(thousandths: milliseconds % 1_000)
        bytes += "Z\"".utf8
    }

    private mutating func end() { bytes += "}\n".utf8 }

    private mutating func name(_ name: String) {
        bytes += ",\"".utf8
        bytes += name.utf8
        bytes += "\":".utf8
    }

    /// Adds at most a thousand characters of a text.
    private mutating func add(_ name: String, _ text: String) {
        self.name(name)
        // Most texts are short, and counting bytes is quicker than counting characters.
        bytes.appendJSON(text.utf8.count <= 1_000 ? text[...] : Substring(text.unicodeScalars.prefix(1_000)))
    }

    private mutating func add(_ name: String, number: Int) {
        self.name(name)
        bytes += String(number).utf8
    }

    private mutating func add(_ name: String, _ milliseconds: Duration) {
        let (seconds, attoseconds) = milliseconds.components
        let microseconds = max(0, Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000))
        add(name, number: microseconds / 1_000)
        add(thousandths: microseconds % 1_000)
    }

    private mutating func add(thousandths: Int) {
        bytes.append(UInt8(ascii: "."))
        for unit in [100, 10, 1] { bytes.append(UInt8(ascii: "0") + UInt8(thousandths / unit % 10)) }
    }
}
