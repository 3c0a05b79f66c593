// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// How long the caches keep what a request brings.
@Suite(.balanced, .timeLimit(.minutes(1))) struct LifetimeTests {
    private static let small = ImageRequest.numbered(
        1, transformers: [.resize(to: PixelSize(width: 4, height: 4))])

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `all that a load stores on disk has the ages of its request, and a request without has none`(
        seed: UInt64
    ) throws {
        for lifetime in [
            CacheLifetime(), CacheLifetime(disk: .never), .init(.sliding(.seconds(60))),
            CacheLifetime(memory: .never, shared: .absolute(.seconds(5))),
        ] {
            let staged = try StagedManager(seed: seed)
            var request = Self.small
            request.lifetime = lifetime
            staged.loadInTurn(request)
            staged.dataInTurn(request, as: .png)
            let names = [request.originalKey, request.variantKey, request.fileKey(.png)]
            let found = staged.start { manager in
                var found: [EntryMetadata?] = []
                for name in names { found.append(try await manager.diskCache?.metadata(for: name)) }
                return found
            }
            staged.run()
            expectEqual(found.value?.map { $0?.age }, names.map { _ in lifetime.disk })
            expectEqual(found.value?.map { $0?.sharedAge }, names.map { _ in lifetime.shared })
        }

        // So has what a program stores, and what an alternative brings.
        let staged = try StagedManager(seed: seed) { request in
            guard request.url.host() == "mirror.test" else { return HTTPResponse(status: 503, url: request.url) }
            return try HTTPResponse.picture(for: request)
        }
        var requests = (1...3).map { ImageRequest.numbered($0) }
        for place in requests.indices { requests[place].lifetime = CacheLifetime(.sliding(.seconds(60))) }
        requests[2].alternatives = [ImageRequest(URL(string: "https://mirror.test/3.png")!)]
        let ages = staged.start { [requests] manager in
            await manager.store(ImageFactory.picture(width: 4, height: 4, seed: 1), for: requests[0])
            try await manager.store(Pictures.png(2), for: requests[1])
            _ = try await manager.load(requests[2])
            await manager.flush()
            var ages: [CacheAge?] = []
            for request in requests {
                ages.append(try await manager.diskCache?.metadata(for: request.originalKey)?.age)
            }
            return ages
        }
        staged.run()
        expectEqual(ages.value, requests.map { _ in .sliding(.seconds(60)) })
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `requests that differ in their lifetime share the transfer, and the disk obeys it`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed)
        var brief = Self.small
        brief.lifetime = CacheLifetime(.absolute(.seconds(60)))
        let loads = [staged.load(brief), staged.load(brief)]
        staged.run()
        expectAll(loads.allSatisfy { $0.value != nil }, staged.transport.requests.count == 1)
        staged.emptyMemory()
        staged.time.advance(by: .seconds(59))
        expectEqual(staged.loadInTurn(brief).value?.source, .disk)
        staged.emptyMemory()
        staged.time.advance(by: .seconds(1))
        expectEqual(staged.loadInTurn(brief).value?.source, .network)

        let both = try StagedManager(seed: seed)
        let (one, other) = (both.load(brief), both.load(Self.small))
        both.run()
        expectAll(one.value != nil, other.value != nil, both.transport.requests.count == 1)
        expect(LoadKey(brief, variant: brief.variantKey) != LoadKey(Self.small, variant: brief.variantKey))
    }

    @Test(arguments: [Duration.seconds(1e20), .seconds(-1e20), .zero, .nanoseconds(1), .seconds(1 << 62)])
    func `any duration is an age`(length: Duration) throws {
        let isKept = length > .seconds(1)
        for age in [CacheAge.absolute(length), .sliding(length)] {
            let staged = try StagedManager(seed: 1)
            var request = Self.small
            request.lifetime = CacheLifetime(age)
            expect(staged.loadInTurn(request).value != nil)
            staged.run()
            staged.time.advance(by: .seconds(86_400))
            expectEqual(staged.loadInTurn(request).value?.source == .network, !isKept)
            staged.emptyMemory()
            expectEqual(staged.loadInTurn(request).value?.source, isKept ? .disk : .network)
            expectEqual(CacheAge(code: age.code)?.isSliding, age.isSliding)
        }
    }

    @Test func `memory obeys the lifetime of a request, and that of all others from the limits`() async throws {
        let start = ContinuousClock.now
        let passed = Mutex(Duration.zero)
        let caches = ImageCaches(
            memory: MemoryLimits(age: .absolute(.seconds(10))), disk: nil, executor: nil,
            clock: { start + passed.withLock { $0 } })
        let transport = StubTransport(gate: nil) { request in
            guard request.url.lastPathComponent != "6.png" else { return HTTPResponse(status: 503, url: request.url) }
            return try HTTPResponse.picture(for: request)
        }
        let manager = ImageManager(configuration: .unchanged, caches: caches, transport: transport)
        var sliding = ImageRequest.numbered(2)
        sliding.lifetime.memory = .sliding(.seconds(10))
        var endless = ImageRequest.numbered(3)
        endless.lifetime.memory = .never
        let requests = [ImageRequest.numbered(1), sliding, endless]
        for request in requests { _ = try await manager.image(for: request) }
        let file = try await manager.encodedImage(for: sliding)
        expectEqual(file.frameCount, 1)
        // What a program stores, and what an alternative brings, has the same end.
        let others = (4...6).map { number in
            var request = ImageRequest.numbered(number)
            request.lifetime.memory = .never
            if number == 6 { request.alternatives = [.numbered(7)] }
            return request
        }
        await manager.store(ImageFactory.picture(width: 4, height: 4, seed: 1), for: others[0])
        try await manager.store(Pictures.png(5), for: others[1])
        _ = try await manager.image(for: others[2])
        let names: [MemoryKey] = [
            .picture(others[0].variantKey), .file(others[1].originalKey), .picture(others[2].variantKey),
        ]
        passed.withLock { $0 = .seconds(9) }
        expectEqual(requests.map { manager.peek($0) != nil }, [true, true, true])
        passed.withLock { $0 = .seconds(18) }
        expectEqual(requests.map { manager.peek($0) != nil }, [false, true, true])
        passed.withLock { $0 = .seconds(28) }
        expectEqual(requests.map { manager.peek($0) != nil }, [false, false, true])
        expect(names.allSatisfy { caches.memory.contains($0) })
        _ = await manager.shutdown(within: .seconds(5))
    }
}
