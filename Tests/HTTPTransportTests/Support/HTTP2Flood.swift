// SPDX-License-Identifier: MIT
import Foundation
import TaskCoordination

@testable import WebImageTesting

/// A loopback server that speaks HTTP/2 over TLS, answers each first request with status 200, and then sends the same
/// frame over and over until its peer leaves.
///
/// Each connection has a thread of its own. Stop it with ``stop()``.
final class HTTP2Flood: Sendable {
    /// The repeated frame.
    enum Frame: Sendable, CaseIterable {
        /// DATA without a byte: the body continues and never gets longer.
        case emptyData
        /// PING, which the peer must answer.
        case ping
        /// SETTINGS, which the peer must acknowledge.
        case settings
        /// WINDOW_UPDATE by one byte.
        case windowUpdate
        /// PRIORITY, which the peer must read and may ignore.
        case priority

        /// - Source: RFC 9113, section 4.1 and 6.
        fileprivate func bytes(stream: UInt8) -> [UInt8] {
            switch self {
            case .emptyData: HTTP2Flood.frame(type: 0, stream: stream, [])
            case .ping: HTTP2Flood.frame(type: 6, stream: 0, [UInt8](repeating: 7, count: 8))
            case .settings: HTTP2Flood.frame(type: 4, stream: 0, [])
            case .windowUpdate: HTTP2Flood.frame(type: 8, stream: stream, [0, 0, 0, 1])
            case .priority: HTTP2Flood.frame(type: 2, stream: stream, [0, 0, 0, 0, 15])
            }
        }
    }

    private typealias Answer = @Sendable (_ number: Int, _ stream: UInt8) -> [[UInt8]]

    private let listener: Listener
    private let connections = ConnectionTable(limits: OriginServer.Configuration())
    /// The weights of the requests that were read.
    private let weights = Watched<[Int?]>([])

    private init(_ certificate: TestCertificate, _ flood: Frame?, _ answer: @escaping Answer) throws(OriginError) {
        let security = try TLSContext(certificate, configuration: .init(), applicationProtocol: TLSContext.http2)
        listener = try Listener(withIPv6: false, connections: connections) { [connections, weights] descriptor in
            connections.add(descriptor: descriptor) { number in
                try? Self.serve(security.accept(descriptor), flood, weights, answer)
                connections.end(number) { _ in }
            }
        }
    }

    /// The weights of the streams of the answered requests, 1 … 256; `nil` for one without.
    var requestWeights: [Int?] { weights.value }

    /// Starts a server.
    /// - Throws: ``OriginError``.
    static func start(tls certificate: TestCertificate, frame: Frame) throws(OriginError) -> HTTP2Flood {
        // 0x88 is `:status: 200` in HPACK's static table; the flag ends the headers and not the stream.
        try start(tls: certificate, frame: frame) { [HTTP2Flood.frame(type: 1, flags: 4, stream: $1, [0x88])] }
    }

    /// Starts a server that answers in its own way: the requests of each connection, or the first one before its flood.
    /// - Parameter answer: The frames, by the number of the request, from 1, and its stream.
    static func start(
        tls certificate: TestCertificate, frame: Frame? = nil,
        answer: @escaping @Sendable (_ number: Int, _ stream: UInt8) -> [[UInt8]]
    ) throws(OriginError) -> HTTP2Flood {
        try HTTP2Flood(certificate, frame, answer)
    }

    /// Closes all connections and waits for the end of all threads.
    func stop() {
        listener.stop()
        connections.stop()
    }

    /// The URL of the server's root.
    var url: URL {
        guard let url = URL(string: "https://localhost:\(listener.port)/") else { preconditionFailure("is a URL") }
        return url
    }

    private static func serve(
        _ stream: TLSStream, _ flood: Frame?, _ weights: Watched<[Int?]>, _ answer: Answer
    ) throws(ConnectionEnd) {
        try stream.send(frame(type: 4, stream: 0, [])[...])
        var received: ArraySlice<UInt8> = []
        // The connection preface.
        while received.count < 24 {
            let bytes = try stream.receive(upTo: 16_384)
            guard !bytes.isEmpty else { return }
            received += bytes
        }
        received = received.dropFirst(24)
        while true {
            while let (request, weight) = takeRequest(from: &received) {
                let number = weights.change { weights in
                    weights.append(weight)
                    return weights.count
                }
                for frame in answer(number, request) { try stream.send(frame[...]) }
                guard let flood else { continue }
                let piece = Array(repeatElement(flood.bytes(stream: 1), count: 1_500).joined())
                while true { try stream.send(piece[...]) }
            }
            // A close with bytes unread would reset the connection.
            let bytes = try stream.receive(upTo: 16_384)
            guard !bytes.isEmpty else { return }
            received += bytes
        }
    }

    /// Takes whole frames until the first one that begins a request, HEADERS (type 1): its stream and its weight.
    private static func takeRequest(from bytes: inout ArraySlice<UInt8>) -> (stream: UInt8, weight: Int?)? {
        while bytes.count >= 9 {
            let head = Array(bytes.prefix(14))
            let length = 9 + Int(head[0]) << 16 + Int(head[1]) << 8 + Int(head[2])
            guard bytes.count >= length else { return nil }
            bytes = bytes.dropFirst(length)
            // The flag 0x20 says that a dependency of four bytes and a weight less one are ahead of the fields.
            if head[3] == 1 { return (head[8], head[4] & 0x20 == 0 || length < 14 ? nil : Int(head[13]) + 1) }
        }
        return nil
    }

    static func frame(type: UInt8, flags: UInt8 = 0, stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), type, flags, 0, 0, 0, stream] + payload
    }
}
