// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import Locks
import WebImageTesting

@testable import WebImage

/// An origin of three pictures, which change and fail as the program says. It reads a request when it is sent: what
/// changes afterwards is in the next answer. The last picture is a progressive JPEG.
final class ModelOrigin: Sendable {
    private struct Address {
        var version = 1
        var ownFileCount = 0
        var fault = OriginFault.none
    }

    private let addresses = Mutex(Array(repeating: Address(), count: 3))
    private let history: ModelHistory

    init(_ history: ModelHistory) { self.history = history }

    /// Contents have numbers of their own, which their pictures carry.
    private static func content(_ address: Int, _ version: Int) -> Int { address * 1_000 + version }

    func newContent(of address: Int) { addresses.withLock { $0[address].version += 1 } }

    func set(_ fault: OriginFault, of address: Int) { addresses.withLock { $0[address].fault = fault } }

    /// What the origin has now.
    func content(of address: Int) -> Int {
        addresses.withLock { Self.content(address, $0[address].version) }
    }

    /// A content that the origin never has.
    func ownContent(of address: Int) -> Int {
        addresses.withLock { addresses in
            addresses[address].ownFileCount += 1
            return Self.content(address, 500 + addresses[address].ownFileCount)
        }
    }

    func read(_ request: HTTPRequest) -> @Sendable () throws -> HTTPResponse {
        let address = Int(request.url.lastPathComponent.prefix { $0 != "." }) ?? 0
        let (present, fault) = (content(of: address), addresses.withLock { $0[address].fault })
        history.change { state in
            let content = fault == .none ? present : nil
            state.transfers.append(.init(address: address, time: state.tick(), content: content, fault: fault))
        }
        return { try Self.answer(request, content: present, fault) }
    }

    private static func answer(_ request: HTTPRequest, content: Int, _ fault: OriginFault) throws -> HTTPResponse {
        switch fault {
        case .unreachable: throw HTTPError(code: .cannotConnect, message: "no answer")
        case .missing: return HTTPResponse(status: 404, url: request.url)
        case .troubled: return HTTPResponse(status: 500, url: request.url)
        case .none, .broken: break
        }
        let tag = "\"\(content)\""
        if fault == .none, request.headers["If-None-Match"] == tag {
            return HTTPResponse(status: 304, headers: ["ETag": tag], url: request.url)
        }
        var bytes = try ModelPictures.file(content)
        if fault == .broken { bytes = Array(bytes.prefix(60)) }
        let body = ShareBody(bytes: bytes[...], yields: content % 4)
        // Every other content comes without its length.
        return HTTPResponse(
            status: 200, headers: ["ETag": tag], url: request.url,
            body: HTTPBody(body, expectedByteCount: content.isMultiple(of: 2) ? bytes.count : nil))
    }
}

/// A body in three parts, between which other tasks have their turns.
private struct ShareBody: AsyncSequence, AsyncIteratorProtocol, Sendable {
    var bytes: ArraySlice<UInt8>
    let yields: Int

    mutating func next() async throws -> [UInt8]? {
        for _ in 0..<yields { await Task.yield() }
        try Task.checkCancellation()
        guard !bytes.isEmpty else { return nil }
        let share = bytes.prefix(300)
        bytes = bytes.dropFirst(300)
        return Array(share)
    }

    func makeAsyncIterator() -> Self { self }
}

/// The files of contents, made once for all programs, and what is found in a file.
enum ModelPictures {
    private static let made = Mutex<[Int: [UInt8]]>([:])
    private static let found = Mutex<[[UInt8]: Int]>([:])

    static func file(_ content: Int) throws -> [UInt8] {
        if let bytes = made.withLock({ $0[content] }) { return bytes }
        let isLast = content / 1_000 == 2
        let bytes = try ImageFactory.encoded(
            width: isLast ? 32 : 16, height: isLast ? 32 : 16, seed: content,
            as: isLast ? .jpeg(isProgressive: true) : .png)
        made.withLock { $0[content] = bytes }
        return bytes
    }

    /// The content of a picture; -1 for a picture that was never sent.
    static func content(of image: DecodedImage) -> Int { ImageFactory.seed(of: image) ?? -1 }

    static func content(of file: [UInt8]) -> Int {
        if let content = found.withLock({ $0[file] }) { return content }
        let image = try? ImageCoders.default.decode(file, options: DecodeOptions())
        let number = image.map { content(of: $0) } ?? -1
        found.withLock { $0[file] = number }
        return number
    }
}
