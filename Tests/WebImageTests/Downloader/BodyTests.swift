// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// The effects of a body on the downloader.
@Suite(.timeLimit(.minutes(1))) struct BodyTests {
    /// A body of pieces that counts the pieces read.
    private final class Pieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
        typealias Element = [UInt8]
        private let piece: [UInt8]
        private let limit: Int
        private let read = Mutex(0)

        init(_ piece: [UInt8], count: Int) { (self.piece, limit) = (piece, count) }

        var readCount: Int { read.withLock { $0 } }

        func next() async throws -> [UInt8]? {
            let number = read.withLock { read in
                read += 1
                return read
            }
            return number <= limit ? piece : nil
        }

        func makeAsyncIterator() -> Pieces { self }
    }

    private func manager(
        _ configure: (inout ImageManager.Configuration) -> Void = { _ in },
        answer: @escaping StubTransport.Answer
    ) -> ImageManager {
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        configure(&configuration)
        return ImageManager(configuration: configuration, transport: StubTransport(answer))
    }

    @Test(arguments: [Int.max, 9_000_000_000_000_000_000, 40_000_000_000])
    func `a length that is only announced allocates nothing, however high the limit`(announced: Int) async throws {
        let bytes = try Pictures.png(1)
        let manager = manager({ $0.downloader.maximumByteCount = .max }) { request in
            HTTPResponse(
                status: 200, url: request.url, body: HTTPBody(Pieces(bytes, count: 1), expectedByteCount: announced))
        }
        let image = try await manager.image(for: .numbered(1))
        expectEqual(image.width, 16)
        _ = await manager.shutdown(within: .zero)
    }

    @Test(arguments: [
        Array(repeating: 0, count: 65_536),
        Array("<!DOCTYPE html><html><head><title>Not found</title></head></html>".utf8),
    ])
    func `first bytes that are no picture end the transfer, but not a downloader's own`(piece: [UInt8]) async throws {
        // First bytes that cannot be a picture end the transfer.
        let pieces = Pieces(piece, count: 1_000)
        let manager = manager { HTTPResponse(status: 200, url: $0.url, body: HTTPBody(pieces)) }
        let error = await expectError(ImageLoadError.self) { try await manager.image(for: .numbered(1)) }
        expectEqual(error?.code, .undecodable)
        expectEqual(error?.reason, ImageError.Code.unknownFormat.description)
        expectEqual(pieces.readCount, 1)
        await expect(manager.occupancy.isIdle)
        _ = await manager.shutdown(within: .zero)

        // A downloader alone takes any bytes.
        do {
            let pieces = Pieces(Array(repeating: 0, count: 1_000), count: 10)
            let transport = StubTransport { HTTPResponse(status: 200, url: $0.url, body: HTTPBody(pieces)) }
            let downloader = ImageDownloader(transport: transport)
            try await expectEqual(downloader.download(.numbered(1)).bytes.count, 10_000)
            await downloader.shutdown()
        }
    }

    @Test(arguments: [Int.min, -1, 0, 1]) func `a limit of zero refuses with one clear error`(limit: Int) async throws {
        let manager = manager({ $0.downloader.maximumByteCount = limit }) { try HTTPResponse.picture(for: $0) }
        let error = await expectError(ImageLoadError.self) { try await manager.image(for: .numbered(1)) }
        expectEqual(error?.reason, HTTPError.Code.bodyTooLarge.description)
        _ = await manager.shutdown(within: .zero)
    }
}
