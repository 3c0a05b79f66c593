// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import Locks
import SignedAddresses
import TestSupport
import Testing
import WebImageTesting

@testable import ImageServer

/// Servers with buckets.
@Suite(.timeLimit(.minutes(5))) struct BucketTests {
    @Test func `sources of a bucket are served, and those of another bucket and of a missing key are not`() async throws
    {
        let service = try OriginServer.start()
        defer { service.stop() }
        service.respond(to: "/originals/a%20b.png", with: .ok(try Pictures.file(), type: "binary/octet-stream"))
        service.respondToEverything { _ in .status(404) }
        let endpoint = service.url("/")
        try await World.run {
            ($0.objects.endpoint, $0.objects.sources) = (endpoint, ["originals"])
            ($0.objects.keyID, $0.objects.secret, $0.objects.sessionToken) = ("id", "hush", "token")
        } _: { world in
            let found = try await world.get("/w16/unsigned/plain/s3:%2F%2Foriginals%2Fa%2520b.png")
            expectEqual(found.status, 200)
            let same = try await world.get("/w16/unsigned/\(Base64URL.encode(Array("s3://originals/a%20b.png".utf8)))")
            expectEqual(same.bytes, found.bytes)
            try await expectEqual(world.get("/w16/unsigned/plain/s3://originals/none.png").status, 404)
            for source in ["s3://secrets/a.png", "S3://secrets/a.png", "s3://originals@secrets/a.png"] {
                let refused = try await world.get("/w16/unsigned/plain/\(source)")
                expectEqual(refused.status, 400)
            }
            let climbing = try await world.get("/w16/unsigned/plain/s3://originals/..%2Fsecrets/a.png")
            expect(climbing.status, >=, 400)
            expectEqual(service.requests.filter { !$0.path.hasPrefix("/originals/") }, [])
            expectEqual(Set(service.requests.map { $0.headers["x-amz-security-token"] }), ["token"])
        }
        try await World.run { _ in
        } _: { world in
            let refused = try await world.get("/w16/unsigned/plain/s3://originals/a.png")
            expectEqual(refused.status, 400)
        }
    }

    @Test func `servers share pictures in a bucket`() async throws {
        let service = try OriginServer.start()
        defer { service.stop() }
        let objects = Mutex<[String: OriginRequest]>([:])
        service.respondToEverything { request in
            if request.method == "PUT" {
                objects.withLock { $0[request.path] = request }
                return .status(200)
            }
            guard let object = objects.withLock({ $0[request.path] }) else { return .status(404) }
            return .ok(object.body).header("x-amz-meta-expires", object.headers["x-amz-meta-expires"] ?? "")
        }
        let endpoint = service.url("/")
        let change: @Sendable (inout Settings) -> Void = {
            ($0.objects.endpoint, $0.objects.store) = (endpoint, ("pictures", nil))
            $0.allowedHosts = ["127.0.0.1"]
        }
        let source = try OriginServer.start()
        defer { source.stop() }
        source.respond(to: "/a.png", with: .ok(try Pictures.file(), type: "image/png"))
        let path = "/w16,webp/unsigned/plain/\(source.url("/a.png").absoluteString)"
        let bytes = Mutex<[[UInt8]]>([])
        for _ in 0..<2 {
            // Its end writes what waits for the bucket.
            try await World.run(change) { world in
                let picture = try await world.get(path)
                expectEqual(picture.status, 200)
                bytes.withLock { $0.append(picture.bytes) }
            }
        }
        expectEqual(bytes.withLock { Set($0).count }, 1)
        expectEqual(source.requestCount, 1)
    }
}
