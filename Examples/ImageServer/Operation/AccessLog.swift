// SPDX-License-Identifier: MIT
import Foundation
import Synchronization
import WebImage

/// One line of JSON for each request, and for each step of a load where that is wanted, on a stream.
///
/// A thread of its own writes. When the reader of the stream does not keep up, lines are dropped and counted in a later
/// line, and requests are never delayed.
final class AccessLog: Sendable {
    private struct Pending {
        var bytes: [UInt8] = []
        var droppedCount = 0
        var isWriting = false
    }

    private let pending = Mutex(Pending())
    private let queue = DispatchQueue(label: "log")
    private let descriptor: Int32
    private let byteLimit: Int

    /// - Parameters:
    ///   - descriptor: The stream. Not closed.
    ///   - byteLimit: The largest number of bytes that wait to be written.
    init(descriptor: Int32 = STDOUT_FILENO, byteLimit: Int = 1 << 20) {
        self.descriptor = descriptor
        self.byteLimit = byteLimit
    }

    /// Adds the line of a request.
    func write(_ request: FinishedRequest, at now: Date = .now) { write(Self.line(request, at: now)) }

    /// Adds the line of a step of a load, if it is one that is logged.
    func write(_ activity: LoadActivity, at now: Date = .now) {
        if let line = Self.line(activity, at: now) { write(line) }
    }

    private func write(_ text: String) {
        let line = Array((text + "\n").utf8)
        let begins = pending.withLock { pending in
            guard pending.bytes.count + line.count <= byteLimit else {
                pending.droppedCount += 1
                return false
            }
            if pending.droppedCount > 0 {
                pending.bytes += Array("{\"droppedLines\":\(pending.droppedCount)}\n".utf8)
                pending.droppedCount = 0
            }
            pending.bytes += line
            defer { pending.isWriting = true }
            return !pending.isWriting
        }
        if begins { queue.async { self.writePending() } }
    }

    /// Waits until all lines are written, or the reader has not taken them in time.
    func flush(within seconds: Double = 1) {
        let end = DispatchWorkItem {}
        queue.async(execute: end)
        _ = end.wait(timeout: .now() + seconds)
    }

    private func writePending() {
        while true {
            let bytes = pending.withLock { pending in
                defer { pending.bytes = [] }
                pending.isWriting = !pending.bytes.isEmpty
                return pending.bytes
            }
            guard !bytes.isEmpty else { return }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes {
                    unsafe Foundation.write(descriptor, $0.baseAddress, $0.count)
                }
                if count < 0, errno != EINTR { break }  // the reader has left
                rest = rest.dropFirst(max(0, count))
            }
        }
    }

    /// The line of a request, without its end.
    static func line(_ request: FinishedRequest, at now: Date) -> String {
        var members = [
            ("time", time(now)),
            ("id", request.id.quotedJSON), ("peer", request.peer.quotedJSON), ("method", request.method.quotedJSON),
            ("target", String(request.target.prefix(1_000)).quotedJSON), ("status", String(request.status)),
            ("bytes", String(request.byteCount)), ("milliseconds", milliseconds(request.took)),
            ("complete", String(request.isComplete)),
        ]
        if !request.trace.isEmpty { members.insert(("trace", request.trace.quotedJSON), at: 2) }
        members += request.notes.map { ($0.name, $0.value.quotedJSON) }
        return object(members)
    }

    /// The line of a step, with the id of the request whose load it is; `nil` for a step that is logged with its request.
    static func line(_ activity: LoadActivity, at now: Date) -> String? {
        let step: (name: String, took: Duration?)
        switch activity.kind {
        case .queued: step = ("queued", nil)
        case .started(let waited): step = ("started", waited)
        case .firstByte(let wait): step = ("firstByte", wait)
        case .cacheHit(let source): step = ("hit in \(source.rawValue)", nil)
        case .waitingForMemory: step = ("waitingForMemory", nil)
        case .decoded(_, _, let took): step = ("decoded", took)
        case .stored: step = ("stored", nil)
        case .progress, .writeDropped, .finished, .cancelled, .failed: return nil
        }
        var members = [("time", time(now)), ("step", step.name.quotedJSON)]
        if let id = activity.label { members.append(("id", id.quotedJSON)) }
        if let took = step.took { members.append(("milliseconds", milliseconds(took))) }
        return object(members)
    }

    private static func time(_ now: Date) -> String {
        now.ISO8601Format(.init(includingFractionalSeconds: true)).quotedJSON
    }

    private static func milliseconds(_ duration: Duration) -> String {
        String((duration / .microseconds(1)).rounded() / 1_000)
    }

    private static func object(_ members: [(String, String)]) -> String {
        "{\(members.map { "\"\($0)\":\($1)" }.joined(separator: ","))}"
    }
}
