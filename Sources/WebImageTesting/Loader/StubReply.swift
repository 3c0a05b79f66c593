// SPDX-License-Identifier: MIT
public import HTTPTransport

/// The answer of a ``StubLoader`` to one request.
///
/// A value: kinds such as ``ok(_:type:)`` are refined by methods that return a changed copy.
public struct StubReply: Sendable {
    enum Form {
        case response(HTTPResponse)
        case content(status: Int, headers: HTTPHeaders, bytes: [UInt8])
        case failure(any Error)
        case silence
    }

    private(set) var form: Form
    /// Holds the head.
    private(set) var headGate: Gate?
    /// Holds the body after so many bytes.
    private(set) var bodyGate: (gate: Gate, byteCount: Int)?
    /// Ends the body after so many bytes.
    private(set) var bodyFailure: (error: any Error, byteCount: Int)?
    private(set) var chunkSize = Int.max

    /// Status 200 with these bytes.
    public static func ok(_ bytes: [UInt8], type: String? = nil) -> StubReply {
        let headers: HTTPHeaders = type.map { ["Content-Type": $0] } ?? [:]
        return StubReply(form: .content(status: 200, headers: headers, bytes: bytes))
    }

    /// A status with fields and bytes, by default without.
    public static func status(_ status: Int, headers: HTTPHeaders = [:], bytes: [UInt8] = []) -> StubReply {
        StubReply(form: .content(status: status, headers: headers, bytes: bytes))
    }

    /// A response as it is.
    public static func response(_ response: HTTPResponse) -> StubReply {
        StubReply(form: .response(response))
    }

    /// An error in place of a response.
    public static func failure(_ error: any Error) -> StubReply {
        StubReply(form: .failure(error))
    }

    /// An `HTTPError` in place of a response.
    public static func failure(_ code: HTTPError.Code) -> StubReply {
        .failure(HTTPError(code: code, message: "The stub was told to fail."))
    }

    /// No answer until the request is cancelled.
    public static var silence: StubReply { StubReply(form: .silence) }

    /// The same reply with a field after the others.
    public func header(_ name: String, _ value: String) -> StubReply {
        guard case .content(let status, var headers, let bytes) = form else { return self }
        headers.append(name: name, value: value)
        return changed { $0.form = .content(status: status, headers: headers, bytes: bytes) }
    }

    /// The same reply, whose head waits for the gate.
    public func held(at gate: Gate) -> StubReply {
        changed { $0.headGate = gate }
    }

    /// The same reply, whose body waits for the gate after that many bytes.
    public func held(at gate: Gate, afterBodyBytes byteCount: Int) -> StubReply {
        changed { $0.bodyGate = (gate, byteCount) }
    }

    /// The same reply, whose body ends with an error after that many bytes.
    public func failing(
        after byteCount: Int,
        with error: any Error = HTTPError(code: .connectionLost, message: "The stub was told to lose the connection.")
    ) -> StubReply {
        changed { $0.bodyFailure = (error, byteCount) }
    }

    /// The same reply with a body in chunks of that many bytes; by default it is one chunk.
    public func inChunks(of byteCount: Int) -> StubReply {
        changed { $0.chunkSize = max(1, byteCount) }
    }

    private func changed(_ change: (inout StubReply) -> Void) -> StubReply {
        var reply = self
        change(&reply)
        return reply
    }
}

extension StubReply {
    /// The response for a request; `nil` for no answer.
    func response(for request: HTTPRequest) throws -> HTTPResponse? {
        switch form {
        case .silence: return nil
        case .failure(let error): throw error
        case .response(let response): return response
        case .content(let status, var headers, let bytes):
            if !headers.contains(name: "Content-Length") {
                headers.append(name: "Content-Length", value: String(bytes.count))
            }
            let sent = request.method == "HEAD" || status == 304 ? [] : bytes
            var metrics = HTTPMetrics()
            metrics.total = .zero
            metrics.bytesReceived = sent.count
            return HTTPResponse(
                status: status, headers: headers, url: request.url, body: body(sent), metrics: metrics)
        }
    }

    private func body(_ bytes: [UInt8]) -> HTTPBody {
        let chunks = stride(from: 0, to: bytes.count, by: min(chunkSize, max(1, bytes.count))).map {
            Array(bytes[$0..<min(bytes.count, $0 + min(chunkSize, bytes.count))])
        }
        guard bodyGate != nil || bodyFailure != nil else { return HTTPBody(chunks) }
        return HTTPBody(StubBody(chunks: chunks, reply: self), expectedByteCount: bytes.count)
    }
}

/// The chunks of a reply, with its gate and its failure between them.
private struct StubBody: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    let chunks: [[UInt8]]
    let reply: StubReply

    func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks[...], reply: reply) }

    struct Iterator: AsyncIteratorProtocol {
        var chunks: ArraySlice<[UInt8]>
        let reply: StubReply
        var sent = 0

        mutating func next() async throws -> [UInt8]? {
            if let (gate, byteCount) = reply.bodyGate, sent >= byteCount { await gate.pass() }
            try Task.checkCancellation()
            if let (error, byteCount) = reply.bodyFailure, sent >= byteCount { throw error }
            guard var chunk = chunks.popFirst() else { return nil }
            // A gate or a failure within a chunk splits it.
            let stops = [reply.bodyGate?.byteCount, reply.bodyFailure?.byteCount].compactMap { $0 }.filter { $0 > sent }
            if let stop = stops.min(), stop - sent < chunk.count {
                chunks = [Array(chunk.dropFirst(stop - sent))] + chunks
                chunk = Array(chunk.prefix(stop - sent))
            }
            sent += chunk.count
            return chunk
        }
    }
}
