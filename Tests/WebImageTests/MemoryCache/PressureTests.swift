// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// What a manager remembers beside its pictures, from the samples of the watch on.
@Suite(.balanced, .timeLimit(.minutes(1))) struct PressureTests {
    private let executor = SeededExecutor(seed: 1)
    private let clock = ManualClock()
    private let samples = Journal<Double>()

    private static func request(_ number: Int) -> ImageRequest {
        ImageRequest(URL(string: "https://example.org/\(number).png?" + String(repeating: "q", count: 6_000))!)
    }

    private func manager() -> ImageManager {
        let transport = StubTransport { request in
            guard request.url.query == nil else { return HTTPResponse(status: 404, url: request.url) }
            return try .picture(1, for: request)
        }
        let samples = samples
        return .seeded(on: executor, transport) {
            $0.memoryWatch = MemoryWatch(clock: clock, sample: { MemorySample(usedPart: samples.entries.last) })
        }
    }

    private func fill(_ manager: ImageManager) {
        let probes = (0..<900).map { number in
            Probe(on: executor) { try await manager.load(Self.request(number)) }
        }
        executor.drain()
        expect(probes.allSatisfy { ($0.error as? ImageLoadError)?.status == 404 })
        for number in 0..<200 {
            _ = manager.pipeline.refreshes.start(
                Refreshes.Key(Self.request(number)), on: executor, now: { Date(timeIntervalSince1970: 1) }
            ) { true }
        }
        executor.drain()
    }

    private func pass(_ count: Int, using part: Double) {
        samples.write(part)
        for _ in 0..<count {
            clock.advance(by: .seconds(1))
            executor.drain()
        }
    }

    @Test func `a listener that is gone hears nothing more, and the others do`() {
        let (relay, heard) = (PressureRelay(), Journal<Int>())
        for number in 1...3 {
            relay.add { _ in
                heard.write(number)
                return number != 2
            }
        }
        for _ in 0..<2 { relay.tell(.warning) }
        expectEqual(heard.entries, [1, 2, 3, 1, 3])
    }

    @Test func `failures and pauses of refreshes give way when the watch or the program reports pressure`() {
        let manager = manager()
        let picture = Probe(on: executor) { try await manager.load(.numbered(1)) }
        fill(manager)
        expect(picture.value != nil)
        let (failures, refreshes) = (manager.pipeline.failures, manager.pipeline.refreshes)
        expectAll(failures.byteCount > 3 << 20, refreshes.byteCount > 800 << 10)
        pass(1, using: 0.95)
        expectAll(failures.byteCount <= 512 << 10, refreshes.byteCount <= 128 << 10)
        fill(manager)
        expect(failures.byteCount <= 512 << 10 && refreshes.byteCount <= 128 << 10, "later ones obey it, too")
        pass(3 * PressureGauge.calm, using: 0.1)
        fill(manager)
        expect(failures.byteCount > 3 << 20 && refreshes.byteCount > 800 << 10, "their own limits again")
        _ = Probe(on: executor) { await manager.respond(to: .warning) }
        executor.drain()
        expectAll(failures.byteCount <= 2 << 20, refreshes.byteCount <= 512 << 10)
    }
}
