// SPDX-License-Identifier: MIT
import HTTPTransport
import ImageCoding
import WebImage

extension Family {
    static let distinctLoads = Family(
        name: "distinct-loads",
        summary: "5,000 different loads at once from a warm stub, against stub and decoder alone"
    ) { effort, show in
        let file = try Photograph.tiny()
        let transport = WarmTransport(body: file)
        let requests = try ImageRequest.numbered(5_000)
        let coders = ImageCoders.default
        let figures = try await measure(
            effort,
            Contender("ImageManager", count: requests.count) { count in
                // A new one each time, so that nothing is in memory.
                let manager = ImageManager(configuration: .memoryOnly, transport: transport)
                try await atOnce(count) { blackHole(try await manager.image(for: requests[$0])) }
                _ = await manager.shutdown(within: .seconds(1))
            },
            Contender("transport and decoder alone", count: requests.count) { count in
                try await atOnce(count) { number in
                    let response = try await transport.send(HTTPRequest(url: requests[number].url))
                    let bytes = try await response.body.collect(upTo: file.count)
                    blackHole(try coders.decode(bytes, options: DecodeOptions()))
                }
            })
        let overhead = Report.time(figures[0].cpu - figures[1].cpu)
        show(Row("distinct-loads", figures[0], against: figures[1], by: .cpu, note: "overhead \(overhead) each"))
    }

    static let startAndCancelLoads = Family(
        name: "start-cancel-loads",
        summary: "5,000 different loads begin while the transport holds its answers, and are cancelled and unwound"
    ) { effort, show in
        let requests = try ImageRequest.numbered(5_000)
        let figures = try await measure(
            effort,
            Contender("ImageManager", count: requests.count) { count in
                let transport = SilentTransport(expecting: count)
                let manager = ImageManager(configuration: .memoryOnly, transport: transport)
                let downloader = manager.downloader
                // Unstructured because each is cancelled on its own; all are awaited here.
                let loads = (0..<count).map { number in
                    Task { @concurrent in try await manager.image(for: requests[number]) }
                }
                // A loop that yields would be counted too.
                while downloader.queuedCount + downloader.runningCount < count {
                    try await Task.sleep(for: .milliseconds(1))
                }
                for load in loads { load.cancel() }
                for load in loads {
                    if case .success = await load.result { throw Failure("a cancelled load got an answer") }
                }
                _ = await manager.shutdown(within: .seconds(1))
            },
            Contender("tasks that only wait", count: requests.count) { count in
                let transport = SilentTransport(expecting: count)
                try await cancelWhenStarted(count, on: transport) { number in
                    try await transport.send(HTTPRequest(url: requests[number].url))
                }
            })
        show(Row("start-cancel-loads", figures[0], against: figures[1], by: .cpu, note: "each, its own task included"))
    }

    static let startAndCancelTransfers = Family(
        name: "start-cancel-transfers",
        summary: "the same for 1,000 loads that have all reached the transport"
    ) { effort, show in
        let requests = try ImageRequest.numbered(1_000)
        var configuration = ImageManager.Configuration.memoryOnly
        configuration.downloader.maximumConcurrentDownloads = requests.count
        let figures = try await measure(
            effort,
            Contender("ImageManager", count: requests.count) { [configuration] count in
                let transport = SilentTransport(expecting: count)
                let manager = ImageManager(configuration: configuration, transport: transport)
                try await cancelWhenStarted(count, on: transport) { try await manager.image(for: requests[$0]) }
                _ = await manager.shutdown(within: .seconds(1))
            },
            Contender("the transport alone", count: requests.count) { count in
                let transport = SilentTransport(expecting: count)
                try await cancelWhenStarted(count, on: transport) { number in
                    try await transport.send(HTTPRequest(url: requests[number].url))
                }
            })
        show(Row("start-cancel-transfers", figures[0], against: figures[1], by: .cpu))
    }
}

extension ImageManager.Configuration {
    fileprivate static var memoryOnly: Self {
        var configuration = Self()
        configuration.disk = nil
        return configuration
    }
}
