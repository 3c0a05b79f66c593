// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImage
import WebImageTesting

@testable import ImageServer

@Suite(.timeLimit(.minutes(10)))
struct AnswerTests {
    private static let modified = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test func `a recalled answer follows the conditions of its request`() async throws {
        try await World.run { world async throws in
            let path = world.path("w16,jpeg")
            let first = try await world.get(path)
            let tag = try required(first.headers["ETag"])
            func recall(_ fields: RequestFields, method: String = "GET") -> Answer? {
                world.server.service.recall(ServerRequest(id: "a", method: method, target: path, fields: fields))
            }
            // An answer is recalled within its second, and this one may just have ended.
            var (unchanged, partial): (Answer?, Answer?)
            while unchanged == nil || partial == nil {
                _ = try await world.get(path)
                unchanged = recall(RequestFields(ifNoneMatch: tag))
                partial = recall(RequestFields(range: "bytes=0-9"))
            }
            expectEqual(unchanged?.status, 304)
            expectEqual(partial?.status, 206)
            expectEqual(partial?.byteCount, 10)
            expectNil(recall(RequestFields(accept: "image/webp")))
        }
    }

    @Test func `a picture has the size, the format and the fields that it should have`() async throws {
        try await World.run { world async throws in
            let picture = try Pictures.file()
            world.origin.respond(
                to: "/b.png", with: .ok(picture, type: "image/png").header("Last-Modified", Self.modified))
            let answer = try await world.get(world.path("w16,jpeg", of: "/b.png"))
            expectEqual(answer.status, 200)
            let image = try ImageCoders.default.decode(answer.bytes)
            expectEqual(image.width, 16)
            expectEqual(image.height, 12)
            expectEqual(answer.headers["Content-Type"], "image/jpeg")
            expectEqual(answer.headers["Content-Length"], String(answer.bytes.count))
            expectEqual(answer.headers["ETag"]?.first, "\"")
            expectEqual(answer.headers["Last-Modified"], Self.modified)
            expectEqual(answer.headers["Cache-Control"]?.hasPrefix("public, max-age=86"), true)
            expectEqual(answer.headers["Cache-Status"]?.hasPrefix("image-server; fwd=miss; fwd-status=200; ttl="), true)
            expectNil(answer.headers["Vary"])
            for (name, value) in [("Accept-Ranges", "bytes"), ("Content-Disposition", "inline")] {
                expectEqual(answer.headers[name], value)
            }
            expectEqual(answer.headers["X-Content-Type-Options"], "nosniff")
            let date = answer.headers["Date"].flatMap { HTTPDate($0, receivedAt: HTTPDate(.now)) }
            try expect(abs(required(date).seconds(since: HTTPDate(.now))), <=, 60)
            let again = try await world.get(world.path("w16,jpeg", of: "/b.png"))
            expectEqual(again.bytes, answer.bytes)
            expectEqual(again.headers["ETag"], answer.headers["ETag"])
            let status = again.headers["Cache-Status"] ?? ""
            expectAll(status.hasPrefix("image-server; hit; ttl="), status.hasSuffix("; detail=memory"))
            // The lifetime counts from now.
            expectNil(again.headers["Age"])
            expectEqual(world.origin.requestCount(for: "/b.png"), 1)
        }
    }

    @Test func `the format of an automatic picture follows the client, also of a WebP original`() async throws {
        try await World.run { world async throws in
            for (accept, type) in [
                ("image/avif,image/webp,*/*;q=0.8", "image/webp"), ("image/webp;q=0", "image/png"),
                ("*/*", "image/png"), ("IMAGE/WEBP ; q=0.1", "image/webp"), ("image/*", "image/png"),
                ("image/webp;a=b;Q=0", "image/png"), ("image/webpx", "image/png"),
            ] {
                let answer = try await world.get(world.path(), ["Accept": accept])
                expectEqual(answer.headers["Content-Type"], type, "\(accept)")
                expectEqual(answer.headers["Vary"], "Accept", "\(accept)")
            }
            let silent = await world.server.service.answer(ServerRequest(id: "a", target: world.path()))
            expect(silent.fields.contains { $0.value == "image/png" })
            world.origin.respond(to: "/a.webp", with: .ok(try Pictures.file(as: .webp()), type: "image/webp"))
            let path = world.path(of: "/a.webp")
            try await expectEqual(world.get(path, ["Accept": "*/*"]).headers["Content-Type"], "image/png")
            try await expectEqual(world.get(path, ["Accept": "image/webp"]).headers["Content-Type"], "image/webp")
        }
    }

    @Test func `a client that has the picture is told so`() async throws {
        try await World.run { world async throws in
            world.origin.respond(
                to: "/a.png", with: .ok(try Pictures.file(), type: "image/png").header("Last-Modified", Self.modified))
            let whole = try await world.get(world.path())
            let tag = try required(whole.headers["ETag"])
            for (name, value, status) in [
                ("If-None-Match", tag, 304), ("If-None-Match", "W/\(tag)", 304),
                ("If-None-Match", "\"x\", \(tag)", 304),
                ("If-None-Match", "*", 304), ("If-None-Match", "\"x\"", 200), ("If-Modified-Since", Self.modified, 304),
                ("If-Modified-Since", "Mon, 07 Nov 1994 08:49:37 GMT", 304),
                ("If-Modified-Since", "Sat, 05 Nov 1994 08:49:37 GMT", 200), ("If-Modified-Since", "yesterday", 200),
            ] {
                let answer = try await world.get(world.path(), [name: value])
                expectEqual(answer.status, status, "\(name): \(value)")
                expectEqual(answer.headers["ETag"], tag)
                expectEqual(answer.bytes.isEmpty, (status == 304))
                expectEqual(answer.headers["Content-Length"], String(whole.bytes.count))
                for name in ["Vary", "Last-Modified"] { expectEqual(answer.headers[name], whole.headers[name]) }
                expectEqual((answer.headers["Content-Disposition"] == nil), (status == 304))
                expectAll(answer.headers["Cache-Control"] != nil, answer.headers["Cache-Status"] != nil)
            }
            // The tag goes before the date.
            let conditions = ["If-None-Match": "\"x\"", "If-Modified-Since": Self.modified] as HTTPHeaders
            let both = try await world.get(world.path(), conditions)
            expectEqual(both.status, 200)
        }
    }

    @Test func `a background lies below transparent pixels, which take the part that they let through`() async throws {
        let pixels: [UInt8] = [64, 0, 0, 128] + [255, 255, 255, 255] + [0, 0, 0, 0]
        let image = try DecodedImage(width: 3, height: 1, frames: [.init(pixels: pixels)], hasAlpha: true)
        let background = try required(try PictureOptions("bg0080ff").transformers.first)
        let laid = try background.transform(image)
        expect(!laid.hasAlpha)
        expectEqual(laid.pixels, [64, 64, 127, 255] + [255, 255, 255, 255] + [0, 0x80, 0xFF, 255])
        try await World.run { world async throws in
            let pixels = [UInt8](repeating: 0, count: 16 * 16 * 4)
            let clear = try DecodedImage(width: 16, height: 16, frames: [.init(pixels: pixels)], hasAlpha: true)
            let file = try ImageCoders.default.encode(clear, as: .png)
            world.origin.respond(to: "/clear.png", with: .ok(file, type: "image/png"))
            let answer = try await world.get(world.path("w8,bg0080ff,png", of: "/clear.png"))
            let picture = try ImageCoders.default.decode(answer.bytes)
            expectEqual(picture.width, 8)
            expectEqual(Array(picture.pixels.prefix(4)), [0, 0x80, 0xFF, 0xFF])
            let other = try await world.get(world.path("w8,bg102030,png", of: "/clear.png"))
            try expectEqual(
                Array(ImageCoders.default.decode(other.bytes).pixels.prefix(4)), [0x10, 0x20, 0x30, 0xFF])
            let plain = try await world.get(world.path("w8,png", of: "/clear.png"))
            try expectEqual(ImageCoders.default.decode(plain.bytes).pixels[3], 0)
        }
    }

    @Test func `of an animation the first frame is kept where a still picture is asked for`() async throws {
        try await World.run { world async throws in
            let frames = [UInt8(0), 255].map { shade in
                DecodedImage.Frame(pixels: [UInt8](repeating: shade, count: 3) + [255], duration: .milliseconds(100))
            }
            let animation = try DecodedImage(width: 1, height: 1, frames: frames, hasAlpha: false)
            for format in [EncodedFormat.gif, .apng] {
                let file = try ImageCoders.default.encode(animation, as: format)
                world.origin.respond(to: "/\(format.format.name)", with: .ok(file, type: format.format.mimeType))
                for options in ["gif", "png", "webp", "original", "w1,original", "auto", "w1"] {
                    for (word, count) in [("", 2), (",still", 1)] {
                        let answer = try await world.get(world.path(options + word, of: "/\(format.format.name)"))
                        let picture = try ImageCoders.default.decode(answer.bytes)
                        expectEqual(picture.frameCount, count, "\(format.format.name) as \(options)\(word)")
                    }
                }
            }
        }
    }

    @Test func `a small file of many frames is answered with an animation, or beyond the limits with its first frame`()
        async throws
    {
        try await World.run { world async throws in
            world.origin.respond(to: "/long.gif", with: .ok(LongGIF.sticker, type: "image/gif"))
            world.origin.respond(
                to: "/longest.gif", with: .ok(LongGIF.file(side: 2, frames: 10_001, patch: 1), type: "image/gif"))
            for (name, options, count) in [
                ("long", "w16,gif", 600), ("long", "w16,webp", 600), ("long", "original", 600),
                ("longest", "webp", 1), ("longest", "original", 10_001),
            ] {
                let answer = try await world.get(world.path(options, of: "/\(name).gif"))
                expectEqual(answer.status, 200)
                let properties = try ImageCoders.default.properties(of: answer.bytes)
                expectEqual(properties.frameCount, count, "\(name) as \(options)")
            }
        }
    }

    @Test func `a stripped original is written anew`() async throws {
        try await World.run { world async throws in
            // What follows the picture in its file, as metadata may.
            let picture = try Pictures.file(as: .jpeg()) + Array("secret".utf8)
            world.origin.respond(to: "/a.jpg", with: .ok(picture, type: "image/jpeg"))
            let path = world.path("original", of: "/a.jpg")
            try await expectEqual(world.get(path).bytes, picture)
            let stripped = try await world.get(world.path("original,strip", of: "/a.jpg"))
            expectEqual(stripped.headers["Content-Type"], "image/jpeg")
            expect(!stripped.bytes.suffix(6).elementsEqual("secret".utf8))
            try expectEqual(ImageCoders.default.decode(stripped.bytes).width, 64)
        }
    }

    @Test func `a part of a picture is sent, and HEAD tells what GET would send`() async throws {
        try await World.run { world async throws in
            world.origin.respond(
                to: "/a.png", with: .ok(try Pictures.file(), type: "image/png").header("Last-Modified", Self.modified))
            let whole = try await world.get(world.path())
            let count = whole.bytes.count
            // From the loader, and then from the hits of the second.
            for _ in 0..<3 {
                let part = try await world.get(world.path(), ["Range": "bytes=2-5"])
                expectEqual(part.status, 206)
                expectEqual(part.bytes, Array(whole.bytes[2...5]))
                expectEqual(part.headers["Content-Range"], "bytes 2-5/\(count)")
                let head = try await world.get(world.path(), ["Range": "bytes=2-5"], method: "HEAD")
                expectEqual(head.status, 200)
                expect(head.bytes.isEmpty)
                expectEqual(head.headers["Content-Length"], String(count))
                for name in ["Content-Length", "Content-Type", "ETag"] {
                    expectEqual(head.headers[name], whole.headers[name], "\(name)")
                }
            }
            let condition = ["Range": "bytes=-3", "If-Range": "\"other\""] as HTTPHeaders
            try await expectEqual(world.get(world.path(), condition).bytes, whole.bytes)
            for (validator, status) in [
                (Self.modified, 206), ("Mon, 07 Nov 1994 08:49:37 GMT", 200), (whole.headers["ETag"] ?? "", 206),
            ] {
                let fields = ["Range": "bytes=-\(count + 9)", "If-Range": validator] as HTTPHeaders
                let answer = try await world.get(world.path(), fields)
                expectEqual(answer.status, status, "\(validator)")
                expectEqual(answer.bytes, whole.bytes)
            }
            let none = try await world.get(world.path(), ["Range": "bytes=\(count)-"])
            expectEqual(none.status, 416)
            expectEqual(none.headers["Content-Range"], "bytes */\(count)")
        }
    }

    @Test func `a large picture arrives whole at several clients`() async throws {
        try await World.run { world async throws in
            let picture = try Pictures.file(width: 300, height: 200) + ImageFactory.randomBytes(count: 400_000, seed: 1)
            world.origin.respond(to: "/large.png", with: .ok(picture, type: "image/png"))
            let path = world.path("original", of: "/large.png")
            let answers = try await withThrowingTaskGroup { group in
                for _ in 0..<4 { group.addTask { try await world.get(path).bytes } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            expectEqual(answers, [[UInt8]](repeating: picture, count: 4))
            expectEqual(world.origin.requestCount(for: "/large.png"), 1)
        }
    }

    @Test func `an expired picture is confirmed, and served without its origin when that fails`() async throws {
        try await World.run { world async throws in
            let reply = OriginReply.ok(try Pictures.file(), type: "image/png").entityTag("\"v1\"")
                .header("Cache-Control", "max-age=0")
            world.origin.respond(to: "/a.png", inTurn: reply, reply, .status(500))
            let first = try await world.get(world.path())
            expectEqual(first.headers["Cache-Control"], "public, no-cache")
            let second = try await world.get(world.path())
            expectEqual(second.bytes, first.bytes)
            expectEqual(second.headers["Cache-Status"]?.hasPrefix("image-server; fwd=request; fwd-status=304"), true)
            expectEqual(world.origin.requestCount(for: "/a.png"), 2)
            let third = try await world.get(world.path())
            expectEqual(third.bytes, first.bytes)
            let status = third.headers["Cache-Status"] ?? ""
            expectAll(status.hasPrefix("image-server; hit; ttl="), status.hasSuffix("; detail=stale"))
            // What its origin no longer has, or no longer shows, is not served; that of a busy one is.
            for (path, code, status) in [("/gone.png", 404, 404), ("/secret.png", 403, 403), ("/busy.png", 503, 200)] {
                world.origin.respond(to: path, inTurn: reply, .status(code))
                try await expectEqual(world.get(world.path(of: path)).status, 200)
                try await expectEqual(world.get(world.path(of: path)).status, status)
            }
        }
    }

    @Test func `a date of the origin with a control character reaches no client`() async throws {
        expect(ImageService.isShapedAsDate(Self.modified))
        for text in [
            "a\u{1}\u{2}b\u{7F}, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:37 gmt",
            "Sun, 06 Nov 1994 08:49:3x GMT",
            "Sun, 06 Nov 1994 08:49:37  GMT", "Sun,\t06 Nov 1994 08:49:37 GMT", "",
        ] { expect(!ImageService.isShapedAsDate(text), "\(text)") }
        try await World.run { world async throws in
            let text = "Sun, 06 N\u{1}v 1994 08:49:37 GMT"
            world.origin.respond(to: "/b.png", with: .ok(try Pictures.file()).header("Last-Modified", text))
            try await expectNil(world.get(world.path(of: "/b.png")).headers["Last-Modified"])
        }
    }
}
