// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import Locks
import WebImage
import WebImageTesting

/// Answers from memory after a random number of steps, in two chunks, and sometimes with an error.
final class RestlessTransport: HTTPLoading {
    private let pictures: [[UInt8]]
    private let random: Mutex<SeededGenerator>

    init(pictures: [[UInt8]], seed: UInt64) {
        self.pictures = pictures
        random = Mutex(SeededGenerator(seed: seed))
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let delay = random.withLock { 1 << Int.random(in: 0...8, using: &$0) }
        for _ in 0..<delay {
            try Task.checkCancellation()
            await Task.yield()
        }
        let number = World.number(in: request.url.path)
        if number.isMultiple(of: 10) { return HTTPResponse(status: 404, url: request.url) }
        if number.isMultiple(of: 11) { throw HTTPError(code: .connectionLost, message: "The peer has gone.") }
        let bytes = pictures[number % pictures.count]
        let half = bytes.count / 2
        return HTTPResponse(
            status: 200, url: request.url, body: HTTPBody([Array(bytes[..<half]), Array(bytes[half...])]))
    }

    func shutdown() async {}
}
