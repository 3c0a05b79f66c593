// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import Locks
import TestSupport
import Testing
import WebImage
import WebImageTesting

/// The examples of the guide "A thumbnail service in fifty lines", word for word.
@Suite(.timeLimit(.minutes(1))) struct ThumbnailServiceDocumentationTests {
    @Test func `the service answers on a bare socket`() async throws {
        try await Example.withPhoto { configuration, url, _ in
            let manager = ImageManager(configuration: configuration)
            let service = ThumbnailService(manager: manager)
            let (listener, port) = try Self.listener()
            Thread.detachNewThread { service.serve(listener) }
            defer {
                shutdown(listener, Int32(SHUT_RDWR))
                close(listener)
            }
            let client = HTTPClient(configuration: configuration.transport)
            let encoded = url.absoluteString.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            for (target, status) in [("/thumb?url=\(encoded)", 200), ("/thumb", 400)] {
                let address = try #require(URL(string: "http://127.0.0.1:\(port)\(target)"))
                let answer = try await client.send(HTTPRequest(url: address)).collected(upTo: 1_000_000)
                #expect(answer.status == status)
                if status == 200 { #expect(try ImageCoders.default.decode(answer.bytes).width == 320) }
            }
            await client.shutdown()
            _ = await manager.shutdown(within: .seconds(10))
        }
    }

    @Test func `a failure has a status`() async throws {
        try await Example.withPhoto { configuration, _, _ in
            await withImageManager(configuration) { manager in
                let answer = await ThumbnailService(manager: manager).answer("/thumb?url=ftp://example.com/a")
                expect(answer.starts(with: "HTTP/1.1 400 ".utf8))
                let body = "\r\n\r\nThe address is not one of a picture."
                #expect(String(decoding: answer, as: UTF8.self).hasSuffix(body))
            }
        }
    }

    @Test func `activities reach the closures of other systems`() async throws {
        try await Example.withPhoto { configuration, url, _ in
            let manager = ImageManager(configuration: configuration)
            let names = Mutex<[String]>([])
            async let end: Void = report(
                on: manager, log: { _ in }, record: { name, _ in names.withLock { $0.append(name) } }, span: { _, _ in }
            )
            // What happens before the reader is there is not told.
            while names.withLock({ $0.isEmpty }), !Task.isCancelled { _ = try await manager.image(from: url) }
            _ = await manager.shutdown(within: .seconds(10))
            await end
            expect(names.withLock { $0.contains { $0.hasPrefix("load_") } })
        }
    }

    private static func listener() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            let pointer = unsafe bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!
            return unsafe bind(descriptor, pointer, size) == 0 && listen(descriptor, 8) == 0
                && getsockname(descriptor, pointer, &size) == 0
        }
        guard isBound else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }
}

struct ThumbnailService: Sendable {
    let manager: ImageManager

    func answer(_ target: String) async -> [UInt8] {
        let query = URLComponents(string: target)?.queryItems ?? []
        guard let text = query.first(where: { $0.name == "url" })?.value, let url = URL(string: text) else {
            return response(400)
        }
        let request = ImageRequest(url, transformers: [.resize(to: PixelSize(width: 320, height: 320))])
        do {
            let file = try await manager.encodedImage(for: request, as: .webp(quality: 80))
            return response(200, ["Content-Type: \(file.contentType)"], file.bytes)
        } catch let error as ImageLoadError {
            let fields = ["Content-Type: text/plain"] + (error.isRetryable ? ["Retry-After: 5"] : [])
            return response(error.suggestedHTTPStatus, fields, Array(error.publicMessage.utf8))
        } catch {
            return response(503)
        }
    }

    private func response(_ status: Int, _ fields: [String] = [], _ body: [UInt8] = []) -> [UInt8] {
        let lines = ["HTTP/1.1 \(status) ", "Connection: close", "Content-Length: \(body.count)"] + fields + ["", ""]
        return Array(lines.joined(separator: "\r\n").utf8) + body
    }
}

extension ThumbnailService {
    /// Answers the connections of a listening socket until it is shut down.
    func serve(_ listener: Int32) {
        while case let client = accept(listener, nil, nil), client >= 0 {
            let connection = FileHandle(fileDescriptor: client, closeOnDealloc: true)
            DispatchQueue.global().async {
                let head = String(decoding: connection.availableData, as: UTF8.self)
                let words = head.split(separator: " ", maxSplits: 2)
                Task {
                    let bytes = await answer(words.count == 3 && words[0] == "GET" ? String(words[1]) : "")
                    try? connection.write(contentsOf: Data(bytes))
                }
            }
        }
    }
}

func report(
    on manager: ImageManager, log: (String) -> Void, record: (String, Duration) -> Void,
    span: (URL, Duration) -> Void
) async {
    for await activity in manager.activities() {
        switch activity.kind {
        case .failed(let error): log("\(activity.url?.absoluteString ?? "a picture") failed: \(error)")
        case .decoded(_, _, let took): record("decode", took)
        case .finished(let source, let took):
            record("load_\(source.rawValue)", took)
            if let url = activity.url { span(url, took) }
        default: break
        }
    }
}
