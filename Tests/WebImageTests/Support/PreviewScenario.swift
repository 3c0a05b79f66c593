// SPDX-License-Identifier: MIT
import HTTPTransport
import ImageCoding
import TestSupport
import WebImageTesting

@testable import WebImage

/// A load whose file arrives in as many parts as the test sends.
final class PreviewScenario {
    let staged: StagedManager
    let parts: [[UInt8]]
    private let chunks: AsyncStream<[UInt8]>.Continuation
    private var sent = 0

    convenience init(seed: UInt64, _ format: EncodedFormat = .jpeg(isProgressive: true)) throws {
        try self.init(seed: seed, file: ImageFactory.encoded(width: 96, height: 64, seed: 7, as: format))
    }

    init(seed: UInt64, file: [UInt8], parts count: Int = 6) throws {
        // The first part is the beginning of the header.
        let (start, length) = (100, (file.count - 100) / (count - 1) + 1)
        let rest = stride(from: start, to: file.count, by: length)
        parts = [Array(file[..<start])] + rest.map { Array(file[$0..<min($0 + length, file.count)]) }
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        chunks = continuation
        staged = try StagedManager(seed: seed, hasDisk: false) { request in
            HTTPResponse(
                status: 200, headers: ["Content-Type": "image/jpeg"], url: request.url,
                body: HTTPBody(stream, expectedByteCount: file.count))
        }
    }

    /// Sends the next part of the file; after the last one, its end.
    func send(without stage: StagedManager.Stage? = nil) {
        chunks.yield(parts[sent])
        sent += 1
        if sent == parts.count { chunks.finish() }
        staged.run(without: stage)
    }

    func sendRest() { while sent < parts.count { send() } }

    /// Ends the transfer before the file is whole.
    func breakOff() {
        chunks.finish()
        staged.run(without: .pixels)
        staged.run()
    }

    func load(_ request: ImageRequest) -> (events: Journal<ImageEvent>, caller: Probe<Void>) {
        let events = Journal<ImageEvent>()
        let caller = staged.start { manager in
            for try await event in manager.events(for: request) { events.write(event) }
        }
        staged.run()
        return (events, caller)
    }

    static func request(interval: Duration = .zero, side: Int = 48) -> ImageRequest {
        var request = ImageRequest.numbered(1)
        request.previews = PreviewOptions(size: PixelSize(width: side, height: side), interval: interval)
        return request
    }

    static func previews(_ events: Journal<ImageEvent>) -> [DecodedImage] {
        events.entries.compactMap { if case .preview(let image) = $0 { image } else { nil } }
    }
}
