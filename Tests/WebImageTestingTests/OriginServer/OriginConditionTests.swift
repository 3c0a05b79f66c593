// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@Suite(.timeLimit(.minutes(10)))
struct OriginConditionTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private let resource = OriginReply.ok(Array("0123456789".utf8), type: "text/plain")
        .entityTag("\"v1\"").lastModified(Date(timeIntervalSince1970: 784_111_777.9)).servingRanges()

    private func status(_ fields: String..., method: String = "GET") throws -> String {
        let text = try exchange(resource, method: method, fields: fields, close: true).text
        return String(text.split(separator: " ")[1])
    }

    @Test func `the validators are in the head, and decide between 304, 412 and the whole`() throws {
        let (head, body) = parts(try exchange(resource, close: true).text)
        expect(head.contains("\r\nETag: \"v1\"\r\nLast-Modified: \(Self.date)\r\nAccept-Ranges: bytes\r\n"))
        expectEqual(body, "0123456789")

        // A resource that has not changed is answered with 304 and its validators.
        do {
            let (text, _) = try exchange(resource, fields: ["If-None-Match: \"v0\", W/\"v1\""], close: true)
            expectEqual(
                text,
                "HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\nLast-Modified: \(Self.date)\r\n"
                    + "Connection: close\r\n\r\n")
            try expectEqual(status("If-None-Match: *"), "304")
            try expectEqual(status("If-None-Match: \"v1\"", method: "HEAD"), "304")
            try expectEqual(status("If-None-Match: \"v2\""), "200")
            try expectEqual(status("If-None-Match: \"v1\"", method: "POST"), "200")
        }

        // The date applies to requests without a tag.
        try expectEqual(status("If-Modified-Since: \(Self.date)"), "304")
        try expectEqual(status("If-Modified-Since: Sun, 06 Nov 1994 08:49:36 GMT"), "200")
        try expectEqual(status("If-Modified-Since: nonsense"), "200")
        try expectEqual(status("If-None-Match: \"v2\"", "If-Modified-Since: \(Self.date)"), "200")

        // A broken precondition is answered with 412.
        try expectEqual(status("If-Match: \"v2\""), "412")
        try expectEqual(status("If-Match: \"v2\", \"v1\""), "200")
        try expectEqual(status("If-Match: *"), "200")
        // What is not there has no conditions.
        let missing = OriginReply.status(404).entityTag("\"v1\"")
        try expect(exchange(missing, fields: ["If-None-Match: \"v1\""], close: true).text.contains(" 404 "))
        let weak = OriginReply.text("a").entityTag("W/\"v1\"")
        try expect(exchange(weak, fields: ["If-Match: W/\"v1\""], close: true).text.contains(" 412 "))
        try expect(exchange(weak, fields: ["If-None-Match: \"v1\""], close: true).text.contains(" 304 "))
        try expectEqual(status("If-Unmodified-Since: Sun, 06 Nov 1994 08:49:36 GMT"), "412")
        try expectEqual(status("If-Unmodified-Since: \(Self.date)"), "200")
    }

    @Test(arguments: [
        (0.0, "Thu, 01 Jan 1970 00:00:00 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
    ])
    func `dates are written in the format of HTTP`(seconds: Double, text: String) throws {
        let reply = OriginReply.status(200).lastModified(Date(timeIntervalSince1970: seconds))
        expectEqual(reply.headers["last-modified"], text)
        // A date works as well: the resource has not changed since its own date.
        try expect(exchange(reply, fields: ["If-Modified-Since: \(text)"], close: true).text.contains(" 304 "))
    }

    @Test
    func `one range is answered with 206, one of nothing with 416, any other and a failed If-Range with the whole`()
        throws
    {
        for (range, served, expected) in [
            ("bytes=2-4", "2-4", "234"), ("bytes=7-", "7-9", "789"), ("bytes=-3", "7-9", "789"),
            ("bytes=8-100", "8-9", "89"), ("bytes=-100", "0-9", "0123456789"), ("bytes=0-0", "0-0", "0"),
        ] {
            let (head, body) = parts(try exchange(resource, fields: ["Range: \(range)"], close: true).text)
            let fields = "\r\nContent-Range: bytes \(served)/10\r\nContent-Length: \(expected.utf8.count)"
            expect(head.hasPrefix("HTTP/1.1 206 Partial Content\r\n") && head.contains(fields), "\(range): \(head)")
            expectEqual(body, expected, "\(range)")
        }
        for range in ["bytes=10-", "bytes=-0", "bytes=99-100"] {
            let (head, body) = parts(try exchange(resource, fields: ["Range: \(range)"], close: true).text)
            let start = "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */10\r\n"
            expect(head.hasPrefix(start), "\(range): \(head)")
            expectEqual(body, "", "\(range)")
        }
        let empty = OriginReply.ok([]).servingRanges()
        try expect(exchange(empty, fields: ["Range: bytes=-1"], close: true).text.contains(" 416 "))
        for range in ["4-2", "1-2,4-5", "a-b", "-", "9999999999999999999-"].map({ "bytes=" + $0 }) + ["lines=1-2"] {
            try expectEqual(status("Range: \(range)"), "200", "\(range)")
        }
        try expectEqual(status("Range: bytes=1-2", "If-Range: \"v1\""), "206")
        try expectEqual(status("Range: bytes=1-2", "If-Range: \(Self.date)"), "206")
        try expectEqual(status("Range: bytes=1-2", "If-Range: \"v2\""), "200")
        try expectEqual(status("Range: bytes=1-2", "If-Range: Sun, 06 Nov 1994 08:49:38 GMT"), "200")
        try expectEqual(status("Range: bytes=1-2", "If-None-Match: \"v1\""), "304")
        try expectEqual(status("Range: bytes=1-2", method: "HEAD"), "200")
    }
}
