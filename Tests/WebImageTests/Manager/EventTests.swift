// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.balanced, .timeLimit(.minutes(1))) struct EventTests {
    private static let refresh: ImageRequest = {
        var request = ImageRequest.numbered(1)
        request.cachePolicy = .refreshCached
        return request
    }()

    private static let endless: StubTransport.Answer = { request in
        HTTPResponse(status: 200, url: request.url, body: HTTPBody(EndlessBody(first: [1, 2, 3])))
    }

    private static func name(_ event: ImageEvent) -> String {
        switch event {
        case .progress: "progress"
        case .preview: "preview"
        case .cached(let response): "cached \(ImageFactory.seed(of: response.image) ?? -1)"
        case .finished(let response): "finished \(ImageFactory.seed(of: response.image) ?? -1)"
        }
    }

    /// Reads to the end; the gate makes the reader slow.
    private static func read(
        _ staged: StagedManager, _ request: ImageRequest, slowedBy gate: Gate? = nil
    ) -> Probe<[String]> {
        let events = staged.manager.events(for: request)
        return staged.start { _ in
            await gate?.pass()
            var seen: [String] = []
            for try await event in events { seen.append(Self.name(event)) }
            return seen
        }
    }

    @Test(arguments: Seeds.first(5))
    func `a picture that came as an event takes no memory of the manager`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed, hasDisk: false)
        let reader = staged.start { manager in
            var last: ImageEvent?
            for try await event in manager.events(for: .numbered(1)) { last = event }
            return last
        }
        staged.run()
        guard case .finished(let response)?? = reader.value else { return expect(false, "no picture") }
        expectEqual(staged.occupancy()?.workByteCount, 0)
        expectEqual(ImageFactory.seed(of: response.image), 1)
    }

    @Test(arguments: seeds)
    func `a reader that is cancelled, stops, or never begins leaves the load`(seed: UInt64) throws {
        // A reader that is cancelled leaves the load, and the transfer ends.
        let staged = try StagedManager(seed: seed, hasDisk: false, answer: Self.endless)
        let readers = (0..<2).map { _ in Self.read(staged, .numbered(1)) }
        staged.runSome()
        readers[0].cancel()
        staged.run()
        expect(!readers[0].isRunning && readers[1].isRunning)
        readers[1].cancel()
        staged.run()
        expectAll(!readers[1].isRunning, staged.isAtRest)

        // A reader that stops reading leaves the load.
        do {
            let staged = try StagedManager(seed: seed, hasDisk: false, answer: Self.endless)
            let reader = staged.start { manager in
                for try await event in manager.events(for: .numbered(1)) { return Self.name(event) }
                return ""
            }
            staged.run()
            expectAll(reader.value == "progress", staged.isAtRest)
        }

        // A sequence without a reader leaves the load.
        do {
            let staged = try StagedManager(seed: seed, hasDisk: false, answer: Self.endless)
            _ = staged.manager.events(for: .numbered(1))
            staged.run()
            expect(staged.isAtRest)
        }
    }

    @Test(arguments: seeds)
    func `a refresh shows the cached picture first, unless it is broken, and the new one last`(seed: UInt64) throws {
        // A refresh shows the cached picture first and the new one last.
        let staged = try StagedManager.counting(seed: seed)
        staged.loadInTurn(.numbered(1))
        let readers = (0..<2).map { _ in Self.read(staged, Self.refresh) }
        staged.run()
        // Usually both share one transfer; the second may also begin when the first has its picture.
        let told = Set(readers.map { $0.value?.filter { $0 != "progress" } })
        expect(told.isSubset(of: [["cached 1", "finished 2"], ["cached 2", "finished 3"]]))
        expectAll(staged.transport.requests.count == 1 + told.count, staged.isAtRest)

        // A cached file that is broken does not keep the new picture away.
        do {
            let staged = try StagedManager(seed: seed)
            let bad = DiskEntry(metadata: EntryMetadata(url: "x", contentType: "image/png"), bytes: [1, 2, 3, 4])
            let key = Self.refresh.originalKey
            _ = staged.start { try await $0.diskCache?.store(bad, for: key) }
            staged.run()
            let reader = Self.read(staged, Self.refresh)
            staged.run()
            expectAll(reader.value?.last == "finished 1", staged.isAtRest)
        }
    }

    @Test(arguments: seeds) func `a slow reader loses progress, but no picture and not the end`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed) { request in
            let bytes = try Pictures.png(1)
            let body = GatedBody(bytes, pieces: 40, free: .max, gate: Gate())
            return HTTPResponse(status: 200, url: request.url, body: HTTPBody(body, expectedByteCount: bytes.count))
        }
        staged.loadInTurn(.numbered(1))
        let gate = Gate()
        let reader = Self.read(staged, Self.refresh, slowedBy: gate)
        staged.run()
        staged.open(gate)
        let seen = reader.value ?? []
        expectAll(seen.filter { $0 != "progress" } == ["cached 1", "finished 1"], seen.count <= 16)
    }

    /// One report for each piece, because each passes the gate alone. The buffer is between nearly empty and full twice
    /// over, so that any event may be the oldest at the end.
    @Test(arguments: 1...48) func `a buffer full of progress loses neither the cached picture nor the end`(pieces: Int)
        throws
    {
        let gates = (0..<pieces).map { _ in Gate() }
        var configuration = ImageManager.Configuration()
        configuration.downloader.minimumProgressInterval = 0
        let served = Journal<Int>()
        let staged = try StagedManager(seed: UInt64(pieces), hasDisk: false, configuration: configuration) { request in
            served.write(0)
            if served.count == 1 { return try .picture(1, for: request) }
            let bytes = try Pictures.png(2)
            let body = SteppedBody(bytes, gates)
            return HTTPResponse(status: 200, url: request.url, body: HTTPBody(body, expectedByteCount: bytes.count))
        }
        staged.loadInTurn(.numbered(1))
        let gate = Gate()
        let reader = Self.read(staged, Self.refresh, slowedBy: gate)
        staged.run()
        for gate in gates {
            staged.open(gate)
        }
        staged.open(gate)
        let seen = reader.value ?? []
        expectEqual(seen.filter { $0 != "progress" }, ["cached 1", "finished 2"])
        expectEqual(seen.count, min(pieces + 2, 16), "the buffer was full")
    }
}
