// SPDX-License-Identifier: MIT
import Foundation
import HTTPCaching
import HTTPTransport
import Locks
import WebImageTesting

extension Proxy {
    /// Serves the proxy on a port of the loopback interface. The connection's thread reads the request and writes the
    /// answer; between the two it waits, and a client that leaves cancels the work.
    ///
    /// - Parameters:
    ///   - port: 0 lets the kernel choose.
    ///   - connections: The largest number of connections, and so of threads. The oldest idle one gives way to a new
    ///     one.
    func serve(origin: URL, port: UInt16, connections: Int = 512) throws -> OriginServer {
        var configuration = OriginServer.Configuration()
        configuration.port = port
        configuration.maximumConnectionCount = connections
        configuration.requestTimeout = .seconds(30)
        configuration.maximumRecordedBodyByteCount = configuration.maximumBodyByteCount
        configuration.maximumRecordedRequestCount = 0
        let server = try OriginServer.start(configuration: configuration)
        server.respondToEverything { asked in .byHand { converse(asked, origin, over: $0) } }
        return server
    }

    private func converse(_ asked: OriginRequest, _ origin: URL, over wire: OriginWire) {
        var answer = Answer.text(400, "That is no address.")
        // What follows such a request is not read.
        answer.headers["Connection"] = "close"
        if let url = Self.address(of: asked.target, at: origin) {
            let headers = HTTPHeaders(asked.headers.map { HTTPHeaders.Field(name: $0.name, value: $0.value) })
            let body = asked.body.isEmpty ? nil : asked.body
            let request = HTTPRequest(url: url, method: asked.method, headers: headers, body: body)
            let (gate, place) = (OriginGate(), Place())
            let work = Task {
                place.put(await self.answer(request))
                gate.open()
            }
            guard wire.hold(at: gate), let made = place.answer else { return work.cancel() }
            answer = made
        }
        Self.write(answer, to: asked, over: wire)
    }

    /// Where the origin has what a client asks for.
    ///
    /// - Parameter target: As in the request's first line: a path, or a whole address, whose host does not count.
    /// - Returns: `nil` for a target of any other form, and for one that leads to another scheme, host or port:
    ///   appended to an address, `:81/a` would change its port.
    static func address(of target: String, at origin: URL) -> URL? {
        var path = Substring(target)
        let scheme = "http://"
        if path.prefix(scheme.count).lowercased() == scheme {
            let rest = path.dropFirst(scheme.count).drop { !"/?#".contains($0) }
            path = rest.hasPrefix("/") ? rest : "/" + rest
        }
        guard path.hasPrefix("/"), let url = URL(string: origin.absoluteString + path), url.user == nil,
            CacheTarget(url)?.origin == CacheTarget(origin)?.origin
        else { return nil }
        return url
    }

    private static func write(_ answer: Answer, to asked: OriginRequest, over wire: OriginWire) {
        // 100 and 101 are about the proxy's own connection to the origin.
        for interim in answer.interims where interim.status > 101 && asked.version == "HTTP/1.1" {
            wire.write(head(interim.status, interim.headers.endToEnd))
        }
        var headers = answer.headers
        let hasBody = answer.status != 204 && answer.status != 304
        if hasBody, asked.method != "HEAD" { headers["Content-Length"] = String(answer.body.count) }
        let options = (asked.headers["Connection"] ?? "").lowercased()
        let closes = asked.version != "HTTP/1.1" || options.contains("close") || answer.headers["Connection"] != nil
        if closes { headers["Connection"] = "close" }
        headers.append(name: "Via", value: "1.1 " + name)
        let start = Array(head(answer.status, headers).utf8)
        let body = hasBody && asked.method != "HEAD" ? answer.body : []
        if body.count <= 65_536 {
            wire.write(start + body)
        } else if wire.write(start) {
            // Without a copy: slow readers of a stored response share its bytes.
            wire.write(body)
        }
        if closes { wire.close() }
    }

    private static func head(_ status: Int, _ headers: HTTPHeaders) -> String {
        "HTTP/1.1 \(status) \r\n" + headers.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n"
    }

    /// Where the task leaves its answer for the thread.
    private final class Place: Sendable {
        private let content = Mutex<Answer?>(nil)
        var answer: Answer? { content.withLock { $0 } }
        func put(_ answer: Answer) { content.withLock { $0 = answer } }
    }
}
