// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Parts and options of one request, and what they keep apart.
@Suite(.balanced, .timeLimit(.minutes(1))) struct RequestPartTests {
    private static func numbered(_ change: (inout ImageRequest) -> Void) -> ImageRequest {
        var request = ImageRequest.numbered(1)
        change(&request)
        return request
    }

    private static let bytes: [ImageRequest] = [
        numbered { _ in },
        numbered { $0.modifier = RequestModifier(identity: "x") { $0 } },
        numbered { $0.responseModifier = ResponseModifier(identity: "x") { $0 } },
        numbered { $0.bodyTransformer = BodyTransformer(identity: "x") { body, _ in body } },
        numbered { $0.loader = Identified(identity: "x", StubTransport(HTTPResponse.picture)) },
        numbered { $0.transfer.credential = .bearer("x") },
        numbered { $0.transfer.credential = .bearer("y") },
        numbered { $0.transfer.credential = .basic(user: "u", password: "\u{E9}") },
        numbered { $0.transfer.credential = .basic(user: "u", password: "e\u{301}") },
        numbered { $0.transfer.addressPolicy = .unrestricted },
        numbered { $0.transfer.maximumBodyByteCount = 1_000_000 },
        numbered { $0.transfer.cookies.values = ["a": "K"] },
        numbered { $0.transfer.cookies.values = ["a": "\u{212A}"] },
        numbered { $0.transfer.cookies.sendsJar = false },
    ]

    @Test func `every part of a request has its place in the names and the identity, as it changes bytes or pixels`() {
        // Every part that changes the bytes has its place in the name and in the identity.
        expectEqual(Set(Self.bytes.map(\.originalKey)).count, Self.bytes.count)
        expectEqual(Set(Self.bytes.map(RequestIdentity.init)).count, Self.bytes.count)
        for request in Self.bytes.dropFirst(5) {
            expect(!request.allowsDisk, "a secret would be in the name")
            expect(!request.originalKey.rawValue.contains("Bearer y") || request.transfer.credential == .bearer("y"))
        }
        expectEqual(Self.bytes.map(\.allowsDisk).prefix(5), [true, false, true, true, true])

        expect(!Self.numbered { $0.body = [1] }.allowsDisk, "a body may hold a secret, too")

        // A rule for redirects has a name, which may be written.
        let rules = ["x", "y"].map { name in
            Self.numbered { $0.transfer.redirectRule = HTTPRedirectRule(identity: name) { _ in .follow } }
        }
        let ruled = rules + [rules[0], .numbered(1)]
        expectEqual(ruled.map(\.allowsDisk), [true, true, true, true])
        expectEqual(Set(ruled.map(\.originalKey)).count, 3)
        expectEqual(Set(ruled.map(RequestIdentity.init)).count, 3)

        // Requests with other time limits share no transfer, and a picture.
        let patient = Self.numbered { $0.transfer.totalTimeout = .seconds(600) }
        expect(RequestIdentity(patient) != RequestIdentity(.numbered(1)))
        expectEqual(patient.originalKey, ImageRequest.numbered(1).originalKey)
        expect(patient.allowsDisk)
        let urgent = Self.numbered { $0.transfer.priority = .high }
        expectEqual(RequestIdentity(urgent), RequestIdentity(.numbered(1)))

        // What changes the picture changes the variant's name.
        let requests = [
            ImageRequest.numbered(1), Self.numbered { $0.firstFrameOnly = true }, Self.numbered { $0.failOn = .never },
            Self.numbered { $0.scale = 2 }, Self.numbered { $0.byteBudget = 100 },
            Self.numbered { $0.keepsColors = true }, Self.numbered { ($0.scale, $0.keepsColors) = (2, true) },
            Self.numbered { ($0.byteBudget, $0.keepsColors) = (100, true) },
            Self.numbered { ($0.failOn, $0.keepsColors) = (.never, true) },
            Self.numbered { $0.coders = Identified(identity: "x", .default) },
            Self.numbered { $0.coders = Identified(identity: "y", .default) },
        ]
        expectEqual(Set(requests.map(\.variantKey)).count, requests.count)
        expectEqual(Set(requests.map(\.originalKey)).count, 1)
    }

    @Test(arguments: 0..<25 as Range<UInt64>)
    func `the loader, the coders and the caches of a request do its work, and no other's`(seed: UInt64) throws {
        // A loader of a request moves its bytes.
        do {
            let staged = try StagedManager(seed: seed)
            let other = StubTransport { try .picture(5, for: $0) }
            let tenant = Self.numbered { $0.loader = Identified(identity: "five", other) }
            let (plain, special) = (staged.load(.numbered(1)), staged.load(tenant))
            staged.run()
            expectEqual(plain.value.flatMap { ImageFactory.seed(of: $0.image) }, 1)
            expectEqual(special.value.flatMap { ImageFactory.seed(of: $0.image) }, 5)
            expectEqual([staged.transport.requests.count, other.requests.count], [1, 1])
            expect(!other.isShutDown)
        }

        // Coders of a request decode and encode its pictures.
        let staged = try StagedManager(seed: seed)
        let coder = CountingCoder()
        let request = Self.numbered { $0.coders = Identified(identity: "counted", coder.registry) }
        let (picture, file) = (staged.load(request), staged.data(request, as: .webp()))
        staged.run()
        expectAll(picture.value != nil, file.value != nil)
        expectEqual(coder.encodes, 2, "the file, and the variant for the disk")
        expectEqual(staged.coder.decodes + staged.coder.encodes, 0)

        // Caches of a request keep its pictures apart.
        do {
            let staged = try StagedManager(seed: seed)
            let own = ImageCaches(memory: MemoryLimits(), disk: nil, executor: staged.executor)
            let tenant = Self.numbered { $0.caches = Identified(identity: "tenant", own) }
            let first = staged.loadInTurn(tenant)
            expectEqual(first.value?.source, .network)
            expect(staged.manager.peek(tenant) != nil)
            expectNil(staged.manager.peek(.numbered(1)))
            expectEqual(staged.fileCount, 0)
            let plain = staged.loadInTurn(.numbered(1))
            expectEqual(plain.value?.source, .network)
        }
    }

    @Test func `limits of a request bound its transfer and its pixels`() throws {
        let staged = try StagedManager(seed: 1)
        let small = Self.numbered { $0.transfer.maximumBodyByteCount = 20 }
        let few = Self.numbered {
            $0.limits = ImageLimits(maximumPixelCount: 10)
            $0.failOn = .never
        }
        let callers = [staged.load(small), staged.load(few), staged.load(.numbered(1))]
        staged.run()
        expectEqual((callers[0].error as? ImageLoadError)?.reason, "bodyTooLarge")
        expectEqual((callers[1].error as? ImageLoadError)?.reason, "tooLarge")
        expect(callers[2].value != nil)
        expectEqual(staged.manager.pipeline.failures.count, 1, "a limit is the variant's failure")
        let another = staged.load(Self.numbered { $0.transformers = [.resize(to: PixelSize(width: 2, height: 2))] })
        staged.run()
        expect(another.value != nil, "and not that of another variant")
        var resized = few
        resized.transformers = [.resize(to: PixelSize(width: 2, height: 2))]
        let other = staged.loadInTurn(resized)
        expectEqual((other.error as? ImageLoadError)?.reason, "tooLarge")
        expectEqual(staged.manager.pipeline.failures.count, 2, "also with the same limits")
    }

    @Test(arguments: 0..<25 as Range<UInt64>) func `the response says what the origin said`(seed: UInt64) throws {
        let fields: HTTPHeaders = [
            "ETag": "\"1\"", "Cache-Control": "public, max-age=60", "Set-Cookie": "secret=1",
            "Content-Type": "image/png",
        ]
        let final = URL(string: "https://example.org/moved.png")!
        let staged = try StagedManager(seed: seed) { _ in
            HTTPResponse(status: 203, headers: fields, url: final, body: HTTPBody([try Pictures.png(1)]))
        }
        let caller = staged.loadInTurn(.numbered(1))
        let origin = try required(caller.value?.origin)
        expectEqual(origin.url, final)
        expectEqual(origin.status, 203)
        expectEqual(origin.headers["Set-Cookie"], "secret=1")
        expectEqual(origin.expiresAt, origin.receivedAt.addingTimeInterval(60))
        expectNil(OriginResponse(url: final, status: 200, headers: ["Cache-Control": "public"]).expiresAt)
        for word in ["no-cache", "no-store", "private=\"a"] {
            let ending = OriginResponse(url: final, status: 200, headers: ["Cache-Control": word])
            expectEqual(ending.expiresAt, ending.receivedAt, "\(word)")
        }
        expect(caller.value?.metrics.transfer != nil)
        staged.emptyMemory()
        let file = staged.dataInTurn(.numbered(1), as: .original)
        let stored = try required(file.value?.origin)
        expectEqual(stored.url, final)
        expectEqual(stored.status, 203)
        expectEqual(stored.headers["Cache-Control"], "public, max-age=60")
        expectNil(stored.headers["Set-Cookie"], "a cookie belongs to one user")
        expectNil(stored.metrics)
    }

    @Test(arguments: 0..<25 as Range<UInt64>) func `ten sizes of one dead link ask once`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed) { HTTPResponse(status: 404, url: $0.url) }
        for side in 1...10 {
            staged.loadInTurn(.numbered(1, transformers: [.resize(to: PixelSize(width: side, height: side))]))
        }
        expectEqual(staged.transport.requests.count, 1)
        staged.manager.forgetFailure(of: .numbered(2))
        staged.loadInTurn(.numbered(1))
        expectEqual(staged.transport.requests.count, 1, "another address was forgotten")
        staged.manager.forgetFailure(of: .numbered(1))
        staged.loadInTurn(.numbered(1))
        expectEqual(staged.transport.requests.count, 2)
    }

    @Test(arguments: 0..<25 as Range<UInt64>)
    func `the first frame is taken from an animation in memory, and honoured by a file`(seed: UInt64) throws {
        let animation = try ImageFactory.encodedAnimation(width: 8, height: 8, frames: 3, seed: 1, as: .gif)
        let staged = try StagedManager(seed: seed, hasDisk: false) { request in
            HTTPResponse(status: 200, url: request.url, body: HTTPBody([animation]))
        }
        let whole = staged.loadInTurn(.numbered(1))
        expectEqual(whole.value?.image.frames.count, 3)
        let still = Self.numbered { $0.firstFrameOnly = true }
        let (picture, file) = (staged.load(still), staged.data(still, as: .original))
        staged.run()
        expectEqual([picture.value?.image.frames.count, file.value?.frameCount], [1, 1])
        expectEqual(file.value?.format, .gif)
        expectEqual(staged.transport.requests.count, 1)
    }

    @Test(arguments: 0..<25 as Range<UInt64>) func `the file of a lossless original stays lossless`(seed: UInt64) throws
    {
        let original = try ImageFactory.encoded(width: 16, height: 16, seed: 1, as: .losslessWebP)
        let staged = try StagedManager(seed: seed) { request in
            HTTPResponse(status: 200, url: request.url, body: HTTPBody([original]))
        }
        let request = Self.numbered {
            $0.transformers = [.crop(to: PixelRect(x: 0, y: 0, width: 8, height: 8))]
        }
        for round in 0..<3 {
            if round == 1 { staged.emptyMemory() }
            if round == 2 { _ = staged.start { try await $0.diskCache?.remove(request.fileKey(.original)) } }
            let file = staged.dataInTurn(request, as: .original)
            let bytes = try required(file.value).bytes
            try expect(ImageCoders.default.properties(of: bytes).isLossless)
            let picture = staged.loadInTurn(request)
            expect(picture.value != nil)
        }
    }
}
