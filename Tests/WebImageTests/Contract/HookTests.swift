// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// What a program decides about every load of a manager.
@Suite(.balanced, .timeLimit(.minutes(1))) struct HookTests {
    private struct Refused: Error {}

    private static func staged(
        _ seed: UInt64, hasDisk: Bool = true, answer: @escaping StubTransport.Answer = HTTPResponse.picture,
        _ change: (inout ImageManager.Hooks) -> Void
    ) throws -> StagedManager {
        var configuration = ImageManager.Configuration()
        change(&configuration.hooks)
        return try StagedManager(seed: seed, hasDisk: hasDisk, configuration: configuration, answer: answer)
    }

    private static func signed(_ signature: Int) -> ImageRequest {
        ImageRequest(URL(string: "https://example.org/1.png?signature=\(signature)")!)
    }

    @Test(arguments: 0..<25 as Range<UInt64>) func `a key filter gives addresses with another signature one picture`(
        seed: UInt64
    ) throws {
        let staged = try Self.staged(seed) { $0.cacheKey = { $0.path } }
        let first = staged.loadInTurn(Self.signed(1))
        expectEqual(first.value?.source, .network)
        expect(staged.manager.peek(Self.signed(2)) != nil)
        staged.emptyMemory()
        let second = staged.loadInTurn(Self.signed(3))
        expectEqual(second.value?.source, .disk)
        expectEqual(staged.transport.requests.count, 1)

        // Also for requests that a processor has seen.
        let processed = try Self.staged(seed) { hooks in
            hooks.cacheKey = { $0.path }
            hooks.requestProcessor = { $0 }
        }
        processed.loadInTurn(Self.signed(1))
        expect(processed.manager.peek(Self.signed(2)) != nil)
        expectEqual(processed.loadInTurn(Self.signed(3)).value?.source, .memory)
    }

    @Test func `calls that name a running load find it by the name that the hooks give`() {
        var configuration = ImageManager.Configuration.unchanged
        configuration.hooks.cacheKey = { $0.path }
        configuration.hooks.bodyTransformer = BodyTransformer(identity: "same") { body, _ in body }
        configuration.downloader.maximumConcurrentDownloads = 1
        let gate = Gate()
        let scenario = ManagerScenario(seed: 1, gate: gate, configuration: configuration)
        let manager = scenario.manager
        let callers = (0...4).map { number in
            let caller = Probe(on: scenario.executor) {
                if number > 2 { return try await manager.encodedImage(for: .numbered(number), as: .png).width }
                return try await manager.load(.numbered(number)).image.width
            }
            scenario.executor.drain()
            return caller
        }
        manager.raise(.numbered(2), to: .high)
        manager.raise(.numbered(4), as: .png, to: .veryHigh)
        for number in [1, 3] {
            manager.cancelLoads(of: ImageRequest(URL(string: "https://example.org/\(number).png?signature=2")!))
        }
        scenario.executor.open(gate)
        expectEqual(scenario.transport.requests.map(\.url.lastPathComponent), ["0.png", "4.png", "2.png"])
        expectEqual(callers.map(\.wasCancelled), [false, true, false, true, false])
    }

    @Test(arguments: 0..<25 as Range<UInt64>)
    func `a request processor changes every request, also of a peek, and may refuse or wait`(seed: UInt64) throws {
        // A request processor changes every request, and may refuse one.
        let staged = try Self.staged(seed) {
            $0.requestProcessor = { request in
                if request.url.lastPathComponent == "2.png" { throw Refused() }
                var request = request
                request.transformers.append(.resize(to: PixelSize(width: 3, height: 3)))
                return request
            }
        }
        let (picture, file) = (staged.load(.numbered(1)), staged.data(.numbered(1), as: .png))
        let refused = staged.loadInTurn(.numbered(2))
        expectEqual([picture.value?.image.width, file.value?.width], [3, 3])
        expectEqual(refused.code, .hookFailed)
        expect((refused.error as? ImageLoadError)?.cause is Refused)

        // A peek finds what a request processor asks for, unless that one waits or refuses.
        do {
            let (asked, waits) = (Journal<String>(), Journal<Bool>())
            let staged = try Self.staged(seed) {
                $0.requestProcessor = { request in
                    asked.write(request.url.lastPathComponent)
                    if request.url.lastPathComponent == "2.png" { throw Refused() }
                    if request.url.lastPathComponent == "3.png", waits.count > 0 {
                        await OneShot<Void>().wait(onCancel: ())
                    }
                    var request = request
                    request.transformers.append(.resize(to: PixelSize(width: 3, height: 3)))
                    return request
                }
            }
            let loads = [1, 3].map { staged.load(.numbered($0)) }
            staged.run()
            expect(loads.allSatisfy { $0.value?.image.width == 3 })
            let before = asked.count
            waits.write(true)
            expectEqual(staged.manager.peek(.numbered(1))?.width, 3)
            expectNil(staged.manager.peek(.numbered(2)))
            expectNil(staged.manager.peek(.numbered(3)))
            expectEqual(asked.entries.dropFirst(before), ["1.png", "2.png", "3.png"])
        }
    }

    @Test @MainActor func `a peek on the main actor asks a request processor within the call`() async throws {
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        configuration.hooks.requestProcessor = { request in
            var request = request
            request.transformers = [.resize(to: PixelSize(width: 3, height: 3))]
            return request
        }
        let manager = ImageManager(configuration: configuration, transport: StubTransport(HTTPResponse.picture))
        _ = try await manager.load(.numbered(1))
        expectEqual(manager.peek(.numbered(1))?.width, 3)
        _ = await manager.shutdown(within: .zero)
    }

    @Test(arguments: 0..<25 as Range<UInt64>)
    func `a response modifier is heard before the response is checked, and a body transformer before what is decoded`(
        seed: UInt64
    ) throws {
        // A response modifier is heard before the response is checked.
        let staged = try Self.staged(
            seed,
            answer: { request in
                let picture = try HTTPResponse.picture(for: request)
                return HTTPResponse(status: 404, url: request.url, body: picture.body)
            },
            { hooks in
                hooks.responseModifier = ResponseModifier(identity: "found") { response in
                    HTTPResponse(status: 200, headers: ["ETag": "\"m\""], url: response.url, body: response.body)
                }
            })
        let caller = staged.loadInTurn(.numbered(1))
        expectEqual(caller.value?.origin?.status, 200)
        expectEqual(caller.value?.origin?.entityTag, "\"m\"")

        // A body transformer decrypts what is decoded and stored.
        do {
            let staged = try Self.staged(
                seed,
                answer: { request in
                    let bytes = try [0] + Pictures.png(1).map { $0 ^ 0x55 }
                    // The first piece is long enough to be looked at, and no picture yet.
                    let pieces = [Array(bytes[..<70]), Array(bytes[70...])]
                    return HTTPResponse(status: 200, headers: ["X-Key": "85"], url: request.url, body: HTTPBody(pieces))
                },
                { hooks in
                    hooks.bodyTransformer = BodyTransformer(identity: "xor") { body, head in
                        let key = head.headers["X-Key"].flatMap { UInt8($0) } ?? 0
                        return body.dropFirst().map { $0 ^ key }
                    }
                })
            let file = staged.dataInTurn(.numbered(1), as: .original)
            expectEqual(file.value?.bytes, (try Pictures.png(1)))
            try expectEqual(staged.manager.counters.downloadedByteCount, Pictures.png(1).count + 1)
            staged.emptyMemory()
            let again = staged.loadInTurn(.numbered(1))
            expectEqual(again.value?.source, .disk, "a part with a name does not keep the picture off the disk")
        }

        // A request's own part goes before that of the manager.
        do {
            func parts(_ name: String) -> RequestParts {
                var parts = RequestParts()
                parts.responseModifier = ResponseModifier(identity: name) { $0 }
                parts.bodyTransformer = BodyTransformer(identity: name) { body, _ in body }
                parts.serializer = CacheSerializer(identity: name) { original, _ in original.bytes }
                return parts
            }
            let common = parts("manager")
            var (hooks, request) = (ImageManager.Hooks(), ImageRequest.numbered(1))
            hooks.responseModifier = common.responseModifier
            (hooks.bodyTransformer, hooks.cacheSerializer) = (common.bodyTransformer, common.serializer)
            request.changeParts { $0 = parts("request") }
            let names = hooks.applied(to: request).partsOrDefaults.namesOfBytes
            expectEqual(names.map(\.identity), ["request", "request", "request"])
        }
    }

    @Test(arguments: ["request", "response", "body"], 0..<25 as Range<UInt64>)
    func `what a part throws arrives as a load error with its cause, and a cancelled part as cancellation`(
        part: String, seed: UInt64
    ) throws {
        for isCancelled in [false, true] {
            let staged = try StagedManager(seed: seed)
            let fail: @Sendable () throws -> Void = { throw isCancelled ? CancellationError() : Refused() as any Error }
            var request = ImageRequest.numbered(1)
            switch part {
            case "request":
                request.modifier = RequestModifier(identity: "m") { request in
                    try fail()
                    return request
                }
            case "response":
                request.responseModifier = ResponseModifier(identity: "m") { response in
                    try fail()
                    return response
                }
            default:
                request.bodyTransformer = BodyTransformer(identity: "m") { body, _ in
                    try fail()
                    return body
                }
            }
            let caller = staged.loadInTurn(request)
            expectEqual(caller.code, (isCancelled ? nil : .hookFailed))
            expectEqual(caller.wasCancelled, isCancelled)
        }
    }

    @Test(arguments: 0..<25 as Range<UInt64>) func `a serializer makes the bytes that the disk keeps`(seed: UInt64)
        throws
    {
        let staged = try Self.staged(seed) { hooks in
            hooks.cacheSerializer = CacheSerializer(identity: "webp") { original, _ in
                let image = try ImageCoders.default.decode(original.bytes)
                return try ImageCoders.default.encode(image, as: .losslessWebP)
            }
        }
        let first = staged.loadInTurn(.numbered(1))
        expectEqual(first.value?.format, .png)
        staged.emptyMemory()
        let file = staged.dataInTurn(.numbered(1), as: .original)
        expectEqual(file.value?.format, .webp)
        expectEqual(file.value?.source, .disk)
        // What is made of the stored file is found, although its bytes are not those that the origin sent.
        staged.loadInTurn(.numbered(2))
        let small = ImageRequest.numbered(2, transformers: [.resize(to: PixelSize(width: 4, height: 4))])
        staged.dataInTurn(small)
        staged.emptyMemory()
        let encodes = staged.coder.encodes
        expectAll(staged.dataInTurn(small).value?.source == .disk, staged.coder.encodes == encodes)
        let plain = try StagedManager(seed: seed)
        expectEqual(
            plain.manager.pipeline.hooks.applied(to: .numbered(1)).originalKey, ImageRequest.numbered(1).originalKey)
        #expect(
            staged.manager.pipeline.hooks.applied(to: .numbered(1)).originalKey != ImageRequest.numbered(1).originalKey)
    }

    @Test(arguments: [false, true], 0..<25 as Range<UInt64>)
    func `a program decides which origins are asked, while the caches answer, and which failures are remembered`(
        hasDisk: Bool, seed: UInt64
    ) throws {
        // An origin that may not be asked is not asked, and the caches answer.
        do {
            let staged = try Self.staged(seed, hasDisk: hasDisk) { hooks in
                hooks.shouldDownload = { $0.url.lastPathComponent != "2.png" }
            }
            let (allowed, refused) = (staged.load(.numbered(1)), staged.load(.numbered(2)))
            staged.run()
            expect(allowed.value != nil)
            expectEqual(refused.code, .refused)
            expectEqual(staged.transport.requests.count, 1)
        }

        // A program decides which failures are remembered.
        for isRemembered in [false, true] {
            let staged = try Self.staged(1, answer: { HTTPResponse(status: isRemembered ? 503 : 404, url: $0.url) }) {
                $0.shouldRemember = { _ in isRemembered }
            }
            for _ in 0..<2 {
                staged.loadInTurn(.numbered(1))
            }
            expectEqual(staged.transport.requests.count, (isRemembered ? 1 : 2))
        }
    }
}
