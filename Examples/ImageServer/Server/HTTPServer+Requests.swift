// SPDX-License-Identifier: MIT
import CMicrohttpd
import Foundation

extension HTTPServer {
    /// libmicrohttpd has the head, then the end, of a request, or goes on after a suspension.
    ///
    /// An answer to the first of these calls closes the connection: it refuses content that has not been read.
    func requestAdvanced(_ name: UInt, method: String, head: (_ targetCount: Int) -> RequestHead) -> MHD_Result {
        guard let connection = connections[name] else { return .NO }
        switch connection.phase {
        case .arriving(let exchange):
            return headArrived(name, connection, exchange, method: method, head: head(exchange.target.utf8.count))
        case .checked(let exchange, let fields):
            return begin(name, connection, exchange, fields)
        case .answered(let exchange, let answer):
            return send(answer, name, connection, exchange)
        case .idle, .working, .sending, .abandoned:
            return .NO
        }
    }

    private func headArrived(
        _ name: UInt, _ connection: Connection, _ exchange: Connection.Exchange, method: String, head: RequestHead
    ) -> MHD_Result {
        exchange.method = method.utf8.count <= 16 ? method : String(method.prefix(16))
        if let parent = head.fields.traceparent, let trace = TraceParent(parent) { exchange.trace = trace.traceID }
        countUp()
        setDeadline(connection, forSending: false)
        do throws(RequestHead.Refusal) {
            try head.check(
                method: method, target: exchange.target, targetByteLimit: limits.targetByteCount,
                fieldLimit: limits.fields)
            connection.phase = .checked(exchange, head.fields)
            return .YES
        } catch {
            var answer = Answer.problem(error.status, error.detail, code: "refusedRequest", id: exchange.id)
            if error.status == 405 { answer.fields.append(("Allow", "GET, HEAD")) }
            answer.fields.append(("Connection", "close"))
            return send(answer, name, connection, exchange)
        }
    }

    private func begin(
        _ name: UInt, _ connection: Connection, _ exchange: Connection.Exchange, _ fields: RequestFields
    ) -> MHD_Result {
        guard runningCount <= limits.requests else {
            var answer = Answer.problem(
                503, "The server is busy; try again in a second.", code: "busy", id: exchange.id)
            answer.fields.append(("Retry-After", "1"))
            return send(answer, name, connection, exchange)
        }
        let request = ServerRequest(id: exchange.id, method: exchange.method, target: exchange.target, fields: fields)
        if let answer = recall(request) { return send(answer, name, connection, exchange) }
        connection.phase = .working(exchange, nil)
        let (handler, number) = (handler, exchange.number)
        // It begins here: an answer from memory is sent before the callback returns.
        let task = Task.immediate(name: "request") {
            let answer = await handler(request)
            self.finish(name, number, answer)
        }
        if case .answered(_, let answer) = connection.phase { return send(answer, name, connection, exchange) }
        connection.phase = .working(exchange, task)
        unsafe MHD_suspend_connection(OpaquePointer(bitPattern: name))
        connection.isSuspended = true
        watchForHangUp(connection)
        return .YES
    }

    /// Takes the answer of a request's task.
    private func finish(_ name: UInt, _ number: UInt64, _ answer: Answer) {
        guard let connection = connections[name], case .working(let exchange, _) = connection.phase,
            exchange.number == number
        else { return }
        connection.phase = connection.hasLeft ? .abandoned(exchange) : .answered(exchange, answer)
        guard connection.isSuspended else { return }
        connection.isSuspended = false
        resume(name, connection)
    }

    private func send(
        _ answer: Answer, _ name: UInt, _ connection: Connection, _ exchange: Connection.Exchange
    ) -> MHD_Result {
        let sendsBody = exchange.method != "HEAD" && answer.status != 304
        guard let response = unsafe Self.response(answer, sendsBody: sendsBody) else { return .NO }
        defer { unsafe MHD_destroy_response(response) }
        for (field, value) in answer.fields { unsafe Self.add(field, value, to: response) }
        unsafe Self.add("X-Request-ID", exchange.id, to: response)
        if isDraining || connection.requestCount >= limits.requestsPerConnection {
            unsafe Self.add("Connection", "close", to: response)
        }
        connection.phase = .sending(
            exchange, status: answer.status, byteCount: sendsBody ? answer.byteCount : 0, answer.notes)
        setDeadline(connection, forSending: true)
        return unsafe MHD_queue_response(OpaquePointer(bitPattern: name), UInt32(answer.status), response)
    }

    /// Texts have their bytes in place, so that `withCString` does not copy them as an implicit conversion does.
    private static func add(_ field: String, _ value: String, to response: OpaquePointer) {
        _ = unsafe field.withCString { field in
            unsafe value.withCString { value in unsafe MHD_add_response_header(response, field, value) }
        }
    }

    /// A shared body is sent where it is. A small one is copied and goes out with the head; a large one stays in the
    /// array that its readers share, and is copied piece by piece as the client takes it. libmicrohttpd leaves out the
    /// body of an answer that has none, and tells its length.
    private static func response(_ answer: Answer, sendsBody: Bool) -> OpaquePointer? {
        let range = answer.range ?? answer.body.indices
        if let shared = answer.shared {
            let part = unsafe UnsafeMutableRawBufferPointer(mutating: .init(rebasing: shared.bytes[range]))
            let holder = unsafe Unmanaged.passRetained(shared).toOpaque()
            return unsafe MHD_create_response_from_buffer_with_free_callback_cls(
                part.count, part.baseAddress,
                { unsafe Unmanaged<SharedBody>.fromOpaque($0!).release() }, holder)
        }
        guard range.count > 65_536 || !sendsBody else {
            return unsafe answer.body.withUnsafeBytes { bytes in
                // libmicrohttpd takes a mutable pointer, and only reads.
                let part = unsafe UnsafeMutableRawBufferPointer(mutating: .init(rebasing: bytes[range]))
                return unsafe MHD_create_response_from_buffer(part.count, part.baseAddress, .RESPMEM_MUST_COPY)
            }
        }
        let body = unsafe Unmanaged.passRetained(SentBody(bytes: answer.body[range])).toOpaque()
        return unsafe MHD_create_response_from_callback(
            UInt64(range.count), 65_536,
            { body, position, target, count in
                let bytes = unsafe Unmanaged<SentBody>.fromOpaque(body!).takeUnretainedValue().bytes
                let start = bytes.startIndex + Int(position)
                let piece = bytes[start..<min(bytes.endIndex, start + count)]
                unsafe UnsafeMutableRawPointer(target!).copyMemory(from: Array(piece), byteCount: piece.count)
                return piece.count
            }, body, { unsafe Unmanaged<SentBody>.fromOpaque($0!).release() })
    }
}

/// The body of an answer, held by libmicrohttpd for as long as it sends it.
private final class SentBody: Sendable {
    let bytes: ArraySlice<UInt8>

    init(bytes: ArraySlice<UInt8>) { self.bytes = bytes }
}
