// SPDX-License-Identifier: MIT
import Foundation
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPLoaders
@testable import HTTPTransport

/// Bodies that are joined of ranges, and the field that names a range.
struct RangeModelTests {
    @Test func `a range is read as the grammar has it`() async {
        await Property(cases: 5_000) { draw in
            let first = draw.number(0...12)
            let last = first + draw.number(-1...12)
            let total = draw.oneOf(["*", String(last + 1), String(draw.number(0...13))])
            let unit = draw.oneOf(["bytes", "bytes", "Bytes", "lines"])
            return draw.edited("\(unit) \(first)-\(last)/\(total)", with: "-/ *01b")
        }.holds { text in
            // RFC 9110, section 14.4; and only what goes to the end is a rest.
            let match = text.lowercased().wholeMatch(of: /\ *bytes ([0-9]+)-([0-9]+)\/([0-9]+|\*)/)
            let expected: [Int?]? = match.flatMap { match in
                guard let first = Int(match.1), let last = Int(match.2), first <= last else { return nil }
                return match.3 == "*" || Int(match.3) == last + 1 ? [first, Int(match.3)] : nil
            }
            return difference(ContentRange(text).map { [$0.first, $0.total] }, expected)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a body that comes to its end is one content as a whole, whatever its parts were`() async {
        await Property(cases: 1_500) { draw in
            (answers: draw.list(1...6) { ScriptedAnswer(&$0) }, resumptions: draw.number(0...3))
        }.holds { answers, resumptions in
            let origin = Mutex(answers[...])
            let stub = StubLoader { request, _ in
                // An origin that has nothing more to say works.
                let answer = origin.withLock { $0.popFirst() } ?? ScriptedAnswer()
                return answer.reply(to: request)
            }
            let loader = ResumingLoader(stub, maximumResumptions: resumptions)
            for _ in 0...answers.count {
                guard let response = try? await loader.get(ScriptedAnswer.url), response.status == 200 else { continue }
                guard let bytes = try? await response.body.collect(upTo: 1_000) else { continue }
                guard ScriptedAnswer.contents.contains(bytes) else { return "\(bytes) is no content" }
                let length = response.headers["Content-Length"]
                guard length == nil || length == String(bytes.count) else {
                    return "\(bytes.count) bytes of \(length!)"
                }
            }
            return nil
        }
    }
}

/// One answer of an origin that has ranges.
private struct ScriptedAnswer {
    static let url = URL(string: "http://a.example/x")!
    /// What the origin has, one after the other. All bytes differ.
    static let contents: [[UInt8]] = [Array(0..<12), Array(100..<110), Array(200..<220)]

    let version: Int
    let honoursRanges, announcesLength, announcesTotal: Bool
    /// After so many bytes the connection is lost.
    let breaksAfter: Int?
    /// So many bytes of a range are left out at its end; the field says so, or does not.
    let cutByteCount: Int
    let admitsCut: Bool
    let status: Int?

    init() {
        (version, honoursRanges, announcesLength, announcesTotal) = (0, true, true, true)
        (breaksAfter, cutByteCount, admitsCut, status) = (nil, 0, true, nil)
    }

    init(_ draw: inout Generator) {
        version = draw.oneOf([0, 0, 0, 1, 2])
        honoursRanges = !draw.isTrue(oneIn: 4)
        (announcesLength, announcesTotal) = (!draw.isTrue(), !draw.isTrue(oneIn: 3))
        breaksAfter = draw.maybe { $0.number(0...12) }
        cutByteCount = draw.isTrue(oneIn: 4) ? draw.number(1...3) : 0
        admitsCut = !draw.isTrue()
        status = draw.isTrue(oneIn: 8) ? draw.oneOf([503, 416, 412]) : nil
    }

    func reply(to request: HTTPRequest) -> StubReply {
        if let status { return .status(status) }
        let (content, tag) = (Self.contents[version], "\"\(version)\"")
        let range = request.headers["Range"].flatMap { Int($0.dropFirst(6).dropLast()) }
        guard honoursRanges, let first = range, request.headers["If-Range"] == tag, first < content.count else {
            return response(200, ["ETag": tag], content)
        }
        let end = max(first + 1, content.count - cutByteCount)
        let last = admitsCut ? end - 1 : content.count - 1
        let total = announcesTotal ? String(content.count) : "*"
        let headers: HTTPHeaders = ["ETag": tag, "Content-Range": "bytes \(first)-\(last)/\(total)"]
        return response(206, headers, Array(content[first..<end]))
    }

    private func response(_ status: Int, _ headers: HTTPHeaders, _ bytes: [UInt8]) -> StubReply {
        var headers = headers
        if announcesLength { headers["Content-Length"] = String(bytes.count) }
        let sent = breaksAfter.map { Array(bytes.prefix($0)) } ?? bytes
        let isBroken = breaksAfter.map { $0 < bytes.count } ?? false
        let body = AsyncThrowingStream<[UInt8], any Error> { stream in
            for byte in sent { stream.yield([byte]) }
            stream.finish(throwing: isBroken ? HTTPError(code: .connectionLost, message: "lost") : nil)
        }
        return .response(
            HTTPResponse(
                status: status, headers: headers, url: Self.url,
                body: HTTPBody(body, expectedByteCount: announcesLength ? bytes.count : nil)))
    }
}
