// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import ImageServer

struct HeadSearchTests {
    private static let head =
        "\r\nGET http://a:80/b?c HTTP/1.1\r\nHost: a\r\nConnection: close\r\nRange: bytes=0-1\r\n\r\n"

    @Test func `a head is found wherever it is cut`() throws {
        let bytes = Array((Self.head + "GET").utf8)
        for cut in bytes.indices {
            var search = HeadSearch()
            let first = try search.end(in: Array(bytes[..<cut]))
            let end = try first ?? search.end(in: bytes)
            expectEqual(end, Self.head.utf8.count)
            let head = RequestHead(bytes, lines: search.lines)
            try head.check(targetByteLimit: 4, fieldLimit: 3)
            for (bytes, fields, status) in [(3, 3, 414), (4, 2, 431)] {
                let refusal = expectError(RequestHead.Refusal.self) {
                    try head.check(targetByteLimit: bytes, fieldLimit: fields)
                }
                expectEqual(refusal?.status, status)
            }
            expectAll(head.method == "GET", head.target == "/b?c", head.closes, head.fields.range == "bytes=0-1")
        }
    }

    @Test(arguments: 0..<50) func `a damaged head is read to its end or refused`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            var bytes = Array(Self.head.utf8)
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.insert(Array("\r\n\0 :/".utf8).randomElement(using: &generator)!, at: place)
                default: bytes.remove(at: place)
                }
            }
            var search = HeadSearch()
            guard let end = try? search.end(in: bytes) else { continue }
            let head = RequestHead(bytes, lines: search.lines)
            guard (try? head.check(targetByteLimit: 100, fieldLimit: 9)) != nil else { continue }
            // What is accepted says the same to a parser that takes lines apart by CR LF.
            let lines = String(decoding: bytes[..<end], as: UTF8.self).components(separatedBy: "\r\n")
            let first = lines.first { !$0.isEmpty }?.split(separator: " ") ?? []
            expectAll(first.count == 3, first[0] == head.method, first[2].hasPrefix("HTTP/1."))
            expectAll(head.target.hasPrefix("/"), first[1].hasSuffix(head.target.dropFirst()))
        }
    }
}
