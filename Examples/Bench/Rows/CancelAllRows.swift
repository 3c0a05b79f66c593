// SPDX-License-Identifier: MIT
import CBenchBaselines
import HTTPTransport
import WebImage

extension Family {
    static let cancelAll = Family(
        name: "cancel-all",
        summary: "how long cancelAll() holds its caller while 100,000 loads wait (10,000 with --quick), against a loop"
            + " that cancels as many tasks"
    ) { effort, show in
        let count = effort.repeats == Effort.quick.repeats ? 10_000 : 100_000
        let requests = try ImageRequest.numbered(count)
        var calls: [Double] = []
        var loops: [Double] = []
        for _ in 0..<3 {
            calls.append(try await cancelLoads(requests))
            loops.append(try await cancelTasks(requests))
        }
        let call = Figure(name: "cancelAll", timings: calls.map { Timing(wall: $0, cpu: $0) })
        let loop = Figure(
            name: "a loop that cancels as many tasks", timings: loops.map { Timing(wall: $0, cpu: $0) })
        show(Row("cancel-all-\(count), no disk", call, against: loop, atMost: 0.2, note: "the whole call"))
    }

    /// - Returns: How long the call takes, in seconds.
    private static func cancelLoads(_ requests: [ImageRequest]) async throws -> Double {
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        configuration.downloader.maximumQueueLength = requests.count
        let transport = SilentTransport(expecting: requests.count)
        let manager = ImageManager(configuration: configuration, transport: transport)
        let downloader = manager.downloader
        // Unstructured because the call under test ends them; all are awaited here.
        let loads = requests.map { request in Task { @concurrent in try await manager.image(for: request) } }
        while downloader.queuedCount + downloader.runningCount < requests.count {
            try await Task.sleep(for: .milliseconds(1))
        }
        let start = bench_wall_seconds()
        manager.cancelAll()
        let took = bench_wall_seconds() - start
        for load in loads {
            if case .success = await load.result { throw Failure("a cancelled load got an answer") }
        }
        _ = await manager.shutdown(within: .seconds(1))
        return took
    }

    private static func cancelTasks(_ requests: [ImageRequest]) async throws -> Double {
        let transport = SilentTransport(expecting: requests.count)
        let tasks = requests.map { request in
            Task { @concurrent in _ = try await transport.send(HTTPRequest(url: request.url)) }
        }
        await transport.allStarted()
        let start = bench_wall_seconds()
        for task in tasks { task.cancel() }
        let took = bench_wall_seconds() - start
        for task in tasks { _ = await task.result }
        return took
    }
}
