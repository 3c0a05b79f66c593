// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import HTTPTransport
import ImageCoding
import Synchronization
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Shutdowns on real threads and the real clock.
@Suite(.balanced, .timeLimit(.minutes(1))) struct ThreadedShutdownTests {
    private static func manager(
        gate: Gate? = nil, configure: (inout ImageManager.Configuration) -> Void = { _ in }
    ) -> ImageManager {
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        configuration.maximumInlinePixelCount = 0
        configure(&configuration)
        let transport = StubTransport(gate: gate, HTTPResponse.picture)
        return ImageManager(configuration: configuration, transport: transport)
    }

    /// Blocks its thread until it is released.
    private struct Sleeper: ImageTransforming {
        let key = "sleeper"
        let arrived = Journal<Bool>()
        let semaphore = DispatchSemaphore(value: 0)

        func transform(_ image: DecodedImage) throws -> DecodedImage {
            arrived.write(true)
            semaphore.wait()
            return image
        }
    }

    @Test func `a transformer that returns late does not delay the end, and its thread ends with it`() async throws {
        let (manager, sleeper) = (Self.manager { $0.processingWidth = 2 }, Sleeper())
        let load = Task { try await manager.load(.numbered(1, transformers: [sleeper])) }
        while sleeper.arrived.count == 0 { await Task.yield() }
        _ = try await manager.load(.numbered(2))
        expectEqual(manager.pipeline.processing.threadCount, 2)
        let report = await manager.shutdown(within: .milliseconds(20))
        expectEqual(report, ShutdownReport(cancelledLoadCount: 1, stillRunningCount: 1))
        await expectError(CancellationError.self) { try await load.value }
        expectEqual(manager.pipeline.processing.threadCount, 0, "the other one has been told to end, too")
        sleeper.semaphore.signal()
        while await !manager.occupancy.isIdle { await Task.yield() }
        expectEqual(manager.pipeline.processing.pool.running, 0)
    }

    @Test func `a shutdown that a transformer blocks for ends at the deadline`() async throws {
        struct Blocking: ImageTransforming {
            let key = "blocking"
            let manager: Later<ImageManager>
            let reports: Journal<ShutdownReport>

            func transform(_ image: DecodedImage) throws -> DecodedImage {
                let end = DispatchSemaphore(value: 0)
                Task {
                    reports.write(await manager.value.shutdown(within: .milliseconds(20)))
                    end.signal()
                }
                end.wait()
                return image
            }
        }
        let (later, reports) = (Later<ImageManager>(), Journal<ShutdownReport>())
        let manager = Self.manager()
        later.set(manager)
        let request = ImageRequest.numbered(1, transformers: [Blocking(manager: later, reports: reports)])
        await expectError(CancellationError.self) { try await manager.load(request) }
        while reports.count == 0 { await Task.yield() }
        expectEqual(reports.entries, [ShutdownReport(cancelledLoadCount: 1, stillRunningCount: 1)])
        while await !manager.occupancy.isIdle { await Task.yield() }
        expectEqual(manager.pipeline.processing.pool.running, 0)
    }

    static let extremes: [Duration] = [
        .seconds(Int64.max), .nanoseconds(Int64.max), .zero, .seconds(-1), .seconds(Int64.min),
        Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999),
        Duration(attoseconds: .max), Duration(attoseconds: .min),
    ]

    @Test(arguments: extremes) func `any grace time is accepted, also while a load runs`(grace: Duration) async throws {
        let manager = Self.manager()
        _ = try await manager.load(.numbered(1))
        await expectEqual(manager.shutdown(within: grace).cancelledLoadCount, 0)
        try await withImageManager(Self.manager(), shutdownWithin: grace) { _ = try await $0.load(.numbered(1)) }
        let running = Self.manager { $0.shutdownGrace = grace }
        let run = Task { try await running.run() }
        run.cancel()
        try await run.value
        await expectEqual(running.shutdown(within: grace).cancelledLoadCount, 0)

        // Any grace time is accepted while a load runs.
        do {
            let gate = Gate()
            let manager = Self.manager(gate: gate)
            let load = Task { try await manager.load(.numbered(1)) }
            await gate.reached()
            let end = Task { await manager.shutdown(within: grace) }
            while manager.pipeline.isOpen.load(ordering: .acquiring) { await Task.yield() }
            gate.open()
            let (result, report) = (await load.result, await end.value)
            if grace > .zero {
                expect(report.isClean)
                #expect(throws: Never.self) { try result.get() }
            }
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
