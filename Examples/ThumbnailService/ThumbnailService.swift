// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import SignedAddresses
import Synchronization
import WebImage
import WebImageTesting

/// A whole thumbnail service. It serves the loopback interface, so on the Internet a server with TLS stands in front of
/// it, and prints addresses of thumbnails of the sources that its arguments name. `SIGTERM` ends it in order.
///
/// `THUMBNAIL_KEY` is the key of the signatures in hexadecimal digits, and `PORT` the port. Without a key it is a
/// demonstration: it makes a key, serves a picture of its own, and takes sources from this machine, too.
@main
struct ThumbnailService {
    static func main() async {
        let environment = ProcessInfo.processInfo.environment
        let digits = environment["THUMBNAIL_KEY"] ?? (0..<64).map { _ in "\(Int.random(in: 0...9))" }.joined()
        guard let key = SigningKey(hexadecimal: digits), let port = UInt16(environment["PORT"] ?? "8080") else {
            fail("THUMBNAIL_KEY takes what openssl rand -hex 32 prints, and PORT a number.")
        }
        do {
            // The demonstration's picture has sockets of its own: waiting clients may take all those of the service.
            let origin = environment["THUMBNAIL_KEY"] == nil ? try OriginServer.start() : nil
            defer { origin?.stop() }
            let photo = try ImageFactory.encoded(width: 1_600, height: 1_200, seed: 7)
            origin?.respond(to: "/photo.jpg", with: .ok(photo, type: "image/jpeg"))
            let own = origin.map { [$0.url("/photo.jpg").absoluteString] } ?? []
            var pictures = ImageManager.Configuration()
            pictures.transport.addressPolicy = .publicInternet(allowing: origin == nil ? [] : IPNetwork.loopback)
            pictures.transport.totalTimeout = .seconds(20)
            var sockets = OriginServer.Configuration()
            (sockets.port, sockets.maximumBodyByteCount, sockets.maximumRecordedRequestCount) = (port, 0, 0)
            // A slow client loses its connection, and its load.
            (sockets.requestTimeout, sockets.replyTimeout) = (.seconds(10), .seconds(40))
            // A client that waits takes a thread and three descriptors.
            sockets.maximumConnectionCount = min(500, try await Descriptors.prepare(needing: 40) / 8)
            // Each scope ends what it owns: first the calls, then the sockets, then the manager.
            try await withImageManager(pictures) { manager in
                let thumbnails = Thumbnails(manager: manager, addresses: SignedAddresses(keys: [key]))
                try await withOriginServer(configuration: sockets) { server in
                    try await serve(thumbnails, on: server, sources: CommandLine.arguments.dropFirst() + own)
                }
            }
        } catch { fail("\(error)") }
    }

    /// Answers calls until `SIGTERM`, and then those that have come.
    private static func serve(_ thumbnails: Thumbnails, on server: OriginServer, sources: [String]) async throws {
        let (calls, queue) = AsyncStream.makeStream(of: Call.self)
        server.respondToEverything { request in .byHand { Call(request).respond(over: $0, through: queue) } }
        let lines = try sources.reduce("listening on \(server.url("/"))\n") { lines, source in
            let path = try thumbnails.addresses.path(options: "medium", source: source)
            return lines + "curl -o thumbnail.webp '\(server.url(path))'\n"
        }
        let signal = DispatchSource.makeSignalSource(signal: SIGTERM)
        defer { signal.cancel() }
        signal.setEventHandler { @Sendable in queue.finish() }
        // From now on the signal does not end the process at once.
        signal.setRegistrationHandler { @Sendable in FileHandle.standardOutput.write(Data(lines.utf8)) }
        signal.activate()
        await withDiscardingTaskGroup { group in
            for await call in calls { group.addTask { await call.run(thumbnails) } }
        }
    }

    private static func fail(_ text: String) -> Never {
        FileHandle.standardError.write(Data("thumbnail-service: \(text)\n".utf8))
        exit(1)
    }
}

/// One request: a task makes the answer, and the thread of the connection waits for it.
private final class Call: Sendable {
    let request: OriginRequest
    private let answer = Mutex<Answer?>(nil)
    private let (isAnswered, end) = (OriginGate(), Gate())

    init(_ request: OriginRequest) { self.request = request }

    /// Runs until the client has its answer or has left: the end of the scope cancels the load, and waits for it.
    func run(_ thumbnails: Thumbnails) async {
        async let _: Void = make(thumbnails)
        await end.pass()
    }

    private func make(_ thumbnails: Thumbnails) async {
        let made = await thumbnails.answer(request.target, unless: request.headers["If-None-Match"])
        answer.withLock { $0 = made }
        isAnswered.open()
    }

    /// Waits for the answer and writes it, on the thread of the connection.
    func respond(over wire: OriginWire, through queue: AsyncStream<Call>.Continuation) {
        defer { end.open() }
        if case .enqueued = queue.yield(self) { guard wire.hold(at: isAnswered) else { return } }
        let answer = answer.withLock { $0 } ?? .text(503, "The service ends.")
        let length = answer.status == 304 ? "" : "Content-Length: \(answer.body.count)\r\n"
        let head = "HTTP/1.1 \(answer.status) \r\n\(length)" + answer.fields.map { "\($0): \($1)\r\n" }.joined()
        wire.write(Array("\(head)\r\n".utf8) + (request.method == "HEAD" ? [] : answer.body))
        if request.version != "HTTP/1.1" || request.headers["Connection"]?.lowercased() == "close" { wire.close() }
    }
}
