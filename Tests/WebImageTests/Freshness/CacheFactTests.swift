// SPDX-License-Identifier: MIT
import Foundation
import HTTPCaching
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// What a response says about the caches that it came through.
@Suite(.balanced, .timeLimit(.minutes(1))) struct CacheFactTests {
    private static let few: Range<UInt64> = 0..<10

    private func status(_ stage: HTTPStage, _ request: ImageRequest) throws -> String {
        let now = Date(timeIntervalSince1970: Double(stage.staged.time.now.components.seconds))
        return try required(try stage.load(request)?.get()).cacheStatus(at: now).description
    }

    @Test(arguments: few)
    func `a response says what the caches did for it, also by other policies`(seed: UInt64) throws {
        let stage = try HTTPStage(["Cache-Control": "max-age=60, stale-if-error=600"], seed: seed)
        let request = HTTPStage.request()
        try expectEqual(status(stage, request), "WebImage; fwd=uri-miss; fwd-status=200; ttl=60; stored")
        stage.pass(20)
        try expectEqual(status(stage, request), "WebImage; hit; ttl=40")
        stage.staged.emptyMemory()
        try expectEqual(status(stage, request), "WebImage; hit; ttl=40")
        stage.pass(40)
        try expectEqual(status(stage, request), "WebImage; fwd=stale; fwd-status=304; ttl=60")
        stage.pass(70)
        stage.origin.set { $0.status = 503 }
        try expectEqual(status(stage, request), "WebImage; fwd=stale; fwd-status=503; ttl=-10")
        stage.origin.set { $0.failure = .cannotConnect }
        try expectEqual(status(stage, request), "WebImage; fwd=stale; ttl=-10")

        // Loads by other policies have facts, too.
        do {
            let stage = try HTTPStage(["Cache-Control": "no-store"], seed: seed)
            var request = ImageRequest.numbered(1)
            try expectEqual(status(stage, request), "WebImage; fwd=miss; fwd-status=200")
            try expectEqual(status(stage, request), "WebImage; hit")
            request.cachePolicy = .revalidate
            try expectEqual(status(stage, request), "WebImage; fwd=request; fwd-status=304")
            try expectEqual(status(stage, .numbered(1)), "WebImage; hit", "the confirmation was another load's")
            let files = try [CachePolicy.reload, .revalidate, .cacheFirst].map { policy in
                request.cachePolicy = policy
                return try required(stage.staged.dataInTurn(request, as: .png).value).cacheStatus().description
            }
            expectEqual(files.last, "WebImage; hit", "\(files)")
        }
    }

    @Test(arguments: few)
    func `a response has an age, also on disk, and a 304 keeps what describes the bytes`(seed: UInt64) throws {
        let stage = try HTTPStage(["Cache-Control": "max-age=60", "Age": "7"], seed: seed)
        _ = stage.load(HTTPStage.request(small: true))
        stage.pass(5)
        stage.staged.emptyMemory()
        let now = Date(timeIntervalSince1970: Double(stage.staged.time.now.components.seconds))
        let variant = try required(try stage.load(HTTPStage.request(small: true))?.get())
        expect(variant.source == .disk && variant.age(at: now) == .seconds(12), "that of its original")
        expectEqual(stage.file(.original)?.age(at: now), .seconds(12))

        // A response that was long on its way has aged meanwhile, also on disk.
        let start = Date(timeIntervalSince1970: 1_000)
        let origin = OriginResponse(
            url: ImageRequest.numbered(1).url, status: 200, headers: ["Cache-Control": "max-age=60", "Age": "5"],
            requestedAt: start, receivedAt: start.addingTimeInterval(10))
        expectEqual(origin.age(at: start.addingTimeInterval(12)), .seconds(17))
        let stored = EntryMetadata(origin, url: origin.url).origin
        expectEqual(stored?.age(at: start.addingTimeInterval(12)), .seconds(17))
        expectEqual(stored?.expiresAt, start.addingTimeInterval(55))

        // A 304 keeps the fields that describe the bytes.
        do {
            let url = ImageRequest.numbered(1).url
            let stored = OriginResponse(url: url, status: 200, headers: ["Content-Type": "image/png", "Age": "9"])
            let answer = OriginResponse(url: url, status: 304, headers: ["Content-Type": "text/html", "ETag": "\"1\""])
            let renewed = stored.renewed(by: answer)
            expectEqual(renewed.headers["Content-Type"], "image/png")
            expectEqual(renewed.entityTag, "\"1\"")
            expectNil(renewed.headers["Age"], "it spoke of the old response")
        }
    }
}
