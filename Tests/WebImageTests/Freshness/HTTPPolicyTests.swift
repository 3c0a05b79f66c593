// SPDX-License-Identifier: MIT
import Foundation
import HTTPCaching
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// What HTTP's rules decide about loads with the policy `.http`.
@Suite(.balanced, .timeLimit(.minutes(1))) struct HTTPPolicyTests {
    private static let few: Range<UInt64> = 0..<10

    @Test(arguments: [false, true], few)
    func `a fresh picture is used without asking, and by default a stale one`(fromDisk: Bool, seed: UInt64) throws {
        let stage = try HTTPStage(["Cache-Control": "max-age=60"], seed: seed)
        expectAll(stage.version() == 1, stage.loads(HTTPStage.request(small: true)))
        _ = stage.file(.webp())
        stage.pass(59)
        if fromDisk { stage.staged.emptyMemory() }
        expectAll(stage.version() == 1, stage.loads(HTTPStage.request(small: true)))
        expectEqual(stage.file(.webp())?.source, (fromDisk ? .disk : .memory))
        expectEqual(stage.asked, 1)

        // A load by default uses a stale picture without asking.
        do {
            let stage = try HTTPStage(["Cache-Control": "max-age=60"], seed: seed)
            _ = stage.load()
            stage.pass(600)
            if fromDisk { stage.staged.emptyMemory() }
            expectEqual([stage.version(.numbered(1)), stage.asked], [1, 1])
        }
    }

    @Test(arguments: [(false, false), (false, true), (true, false), (true, true)], few)
    func `a stale picture is validated by tag and date, and fresh again after a 304`(
        _ way: (hasDisk: Bool, small: Bool), seed: UInt64
    ) throws {
        let (hasDisk, small) = way
        let stage = try HTTPStage(["Cache-Control": "max-age=60"], seed: seed, hasDisk: hasDisk)
        let request = HTTPStage.request(small: small)
        _ = stage.load(request)
        stage.pass(60)
        try expectEqual(stage.load(request)?.get().source, .memory)
        let fields = stage.staged.transport.requests[1].headers
        expectEqual(fields["If-None-Match"], "\"1\"")
        expectEqual(fields["If-Modified-Since"], "Sun, 06 Nov 1994 08:49:37 GMT")
        stage.pass(59)
        try expectEqual(stage.load(request)?.get().source, .memory)
        expectEqual(stage.asked, 2)
    }

    @Test(arguments: few)
    func `a 304 renews all that was made of an original, unless it names other content, which takes the place of all`(
        seed: UInt64
    ) throws {
        // A 304 renews the picture, the file and the variants of one original.
        let stage = try HTTPStage(["Cache-Control": "max-age=60"], seed: seed)
        _ = (stage.load(), stage.load(HTTPStage.request(small: true)), stage.file(.webp()))
        stage.pass(60)
        _ = stage.load()
        expectEqual(stage.asked, 2)
        let files = [stage.file(.webp()), stage.file(.original)]
        expectAll(stage.loads(HTTPStage.request(small: true)), files.allSatisfy { $0 != nil })
        stage.staged.emptyMemory()
        expectEqual(stage.version(), 1)
        expectEqual(stage.file(.webp())?.source, .disk)
        expectEqual(stage.asked, 2)

        // A 304 that names other content confirms nothing.
        do {
            let stage = try HTTPStage(["Cache-Control": "max-age=60"], seed: seed)
            _ = stage.load()
            stage.origin.set { ($0.version, $0.confirmsAll) = (2, true) }
            stage.pass(60)
            expectEqual(stage.version(), 2)
            expectEqual(stage.staged.transport.requests.map { $0.headers["If-None-Match"] }, [nil, "\"1\"", nil])
        }

        // A changed picture takes the place of the stale one and of what was made of it.
        do {
            let stage = try HTTPStage(["Cache-Control": "max-age=60"], seed: seed)
            _ = (stage.load(), stage.load(HTTPStage.request(small: true)))
            stage.origin.set { $0.version = 2 }
            stage.pass(60)
            expectEqual(stage.version(), 2)
            let decodes = stage.staged.coder.decodes
            _ = stage.load(HTTPStage.request(small: true))
            expect(stage.staged.coder.decodes == decodes && stage.asked == 2, "made from the new original in memory")
            stage.staged.emptyMemory()
            expectEqual([stage.version(), stage.asked], [2, 2])
        }
    }

    @Test(arguments: few)
    func `what must not be stored is kept nowhere, shared by its callers, and not used when another policy has kept it`(
        seed: UInt64
    ) throws {
        // What must not be stored is kept nowhere, and its callers share it.
        let stage = try HTTPStage(["Cache-Control": "no-store, max-age=60"], seed: seed)
        let callers = (0..<3).map { _ in stage.staged.load(HTTPStage.request()) }
        stage.staged.run()
        expectAll(callers.allSatisfy { $0.value != nil }, stage.asked == 1)
        expectNil(stage.staged.manager.peek(HTTPStage.request()))
        expectEqual(stage.staged.fileCount, 0)
        _ = (stage.file(.webp()), stage.load(HTTPStage.request(small: true)))
        expectEqual([stage.asked, stage.staged.fileCount], [3, 0])

        // What another policy has kept although it must not be stored is not used.
        do {
            let stage = try HTTPStage(["Cache-Control": "no-store, max-age=60"], seed: seed)
            _ = stage.load(.numbered(1))
            expect(stage.staged.manager.peek(.numbered(1)) != nil)
            expectEqual([stage.version(), stage.asked], [1, 2])
            _ = stage.load(.numbered(1))
            expectEqual(stage.asked, 3, "the rules have removed it")
        }
    }

    @Test(arguments: [false, true], few)
    func `what is gone, or may no longer be stored, is removed from the caches`(confirms: Bool, seed: UInt64) throws {
        // What may no longer be stored is removed.
        let stage = try HTTPStage(["Cache-Control": "max-age=60"], seed: seed)
        _ = (stage.load(), stage.load(HTTPStage.request(small: true)))
        stage.origin.set {
            if confirms { $0.confirming = ["Cache-Control": "no-store"] } else { $0.version = 2 }
            if !confirms { $0.fields = ["Cache-Control": "no-store"] }
        }
        stage.pass(60)
        expectEqual(stage.version(), (confirms ? 1 : 2))
        expectNil(stage.staged.manager.peek(HTTPStage.request()))
        expectEqual(stage.staged.fileCount, 0)

        // A picture that is gone goes from the caches.
        do {
            let stage = try HTTPStage(["Cache-Control": "max-age=60, stale-if-error=600"], seed: seed)
            _ = stage.load()
            stage.origin.set { $0.status = 410 }
            stage.pass(60)
            expectEqual(stage.code(), .unacceptableStatus)
            expectNil(stage.staged.manager.peek(HTTPStage.request()))
            expectEqual(stage.staged.fileCount, 0)
        }
    }

    @Test(arguments: few) func `what waits to be written answers, although memory has lost it`(seed: UInt64) throws {
        let stage = try HTTPStage(["Cache-Control": "max-age=60"], seed: seed)
        let first = stage.staged.load(HTTPStage.request { $0.cacheReads = .memory })
        stage.staged.run(without: .files)
        _ = stage.staged.start { await $0.pipeline.caches.memory.removeAll() }
        stage.staged.run(without: .files)
        expectAll(first.value != nil, stage.version() == 1, stage.asked == 1)
    }

    @Test func `a missing picture is remembered for what is left of its lifetime, a day at most`() throws {
        let pipeline = try HTTPStage([:]).staged.manager.pipeline
        let url = ImageRequest.numbered(1).url
        for (fields, seconds) in [
            (["Cache-Control": "max-age=60", "Age": "20"], 40), (["Cache-Control": "max-age=60", "Age": "90"], 0),
            (["Cache-Control": "max-age=86401"], 86_400), (["Cache-Control": "no-store"], 0),
        ] as [(HTTPHeaders, Int)] {
            var error = ImageLoadError(code: .unacceptableStatus, message: "", url: url, status: 404)
            error.origin = OriginResponse(url: url, status: 404, headers: fields, receivedAt: pipeline.now())
            expectEqual(pipeline.negativeLifetime(of: error, HTTPStage.request()), .seconds(seconds), "\(fields)")
        }
    }

    @Test
    func `private content is kept for one user alone, and that of a signed request as its origin allows`() throws {
        for rules in [HTTPCacheRules.shared, .private] {
            let stage = try HTTPStage(["Cache-Control": "private, max-age=60"]) { $0.cacheRules = rules }
            _ = (stage.load(), stage.load())
            expectEqual(stage.asked, (rules.scope == .private ? 1 : 2))
        }
        for (fields, asked) in [
            (["Cache-Control": "max-age=60"], 2), (["Cache-Control": "public, max-age=60"], 1),
            (["Cache-Control": "must-revalidate, max-age=60"], 1),
        ] as [(HTTPHeaders, Int)] {
            for change in [
                { $0.headers = ["Authorization": "Bearer x"] },
                { $0.modifier = RequestModifier(identity: "signed") { $0 } },
            ] as [(inout ImageRequest) -> Void] {
                let stage = try HTTPStage(fields)
                let request = HTTPStage.request(change)
                _ = (stage.load(request), stage.load(request))
                expectEqual(stage.asked, asked, "\(fields)")
                expectEqual(stage.staged.fileCount, 0)
            }
        }
    }

    @Test
    func `the directives of the request count, and one for stored pictures alone does not ask the origin`() throws {
        for (answer, asked, count) in [
            ("max-age=60, immutable", "max-age=0", 1), ("max-age=60", "max-age=0", 2), ("max-age=60", "no-cache", 2),
            ("max-age=60", "max-age=30", 2), ("max-age=10", "max-stale=60", 1),
            ("max-age=10, must-revalidate", "max-stale=60", 2),
        ] {
            let stage = try HTTPStage(["Cache-Control": .init(answer)])
            let request = HTTPStage.request { $0.headers = ["Cache-Control": asked] }
            _ = stage.load(request)
            stage.pass(31)
            _ = stage.load(request)
            expectEqual(stage.asked, count, "\(answer); \(asked)")
        }
        let stage = try HTTPStage(["Cache-Control": "max-age=60"])
        let request = HTTPStage.request { $0.headers = ["Cache-Control": "only-if-cached"] }
        expectEqual(stage.code(request), .notInCache)
        expectEqual(stage.asked, 0)
    }

    @Test
    func `a picture answers requests that its origin would answer alike, from disk without their credentials`() throws {
        for (accepted, asked) in [("image/webp", 1), ("image/png", 2)] {
            let stage = try HTTPStage(["Cache-Control": "max-age=60", "Vary": "Accept"])
            func request(_ accept: String) -> ImageRequest {
                HTTPStage.request { ($0.cacheKey, $0.headers) = ("name", ["Accept": accept]) }
            }
            _ = stage.load(request("image/webp"))
            expectEqual(stage.version(request(accepted)), 1)
            expectEqual(stage.asked, asked, "\(accepted)")
            stage.staged.emptyMemory()
            expectEqual(stage.version(request(accepted)), 1)
            expectEqual(stage.asked, asked, "\(accepted)")
        }
        let stage = try HTTPStage(["Cache-Control": "public, max-age=60"])
        func request(_ headers: HTTPHeaders, _ policy: CachePolicy = .http) -> ImageRequest {
            HTTPStage.request { ($0.headers, $0.cachePolicy) = (headers, policy) }
        }
        _ = stage.load(request(["Cookie": "a=1", "Accept": "image/webp"]))
        _ = stage.load(request(["Accept": "image/webp"], .cacheFirst))
        expectEqual(stage.staged.fileCount, 0)
        stage.staged.emptyMemory()
        _ = stage.load(request(["Accept": "image/webp"], .http))
        expectEqual(stage.staged.fileCount, 1)
        stage.staged.emptyMemory()
        try expectEqual(stage.load(request(["Accept": "image/webp"]))?.get().source, .disk)
    }

    @Test(
        arguments: [
            (404, "max-age=60", 1), (404, "max-age=0", 2), (404, "no-store", 2), (410, "max-age=60", 1), (404, nil, 1),
            (500, "max-age=60", 2),
        ] as [(Int, String?, Int)])
    func `a missing picture is remembered as long as the origin says`(
        status: Int, control: String?, asked: Int
    ) throws {
        var fields = HTTPHeaders()
        fields["Cache-Control"] = control
        let stage = try HTTPStage(fields)
        stage.origin.set { $0.status = status }
        _ = (stage.load(), stage.load())
        expectEqual(stage.asked, asked)
        _ = stage.load(.numbered(1))
        expectEqual(stage.asked, asked + 1, "another policy has a memory of its own")
        stage.staged.manager.forgetFailure(of: .numbered(1))
        _ = stage.load()
        expectEqual(stage.asked, asked + 2)
    }
}
