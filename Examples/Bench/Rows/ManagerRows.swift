// SPDX-License-Identifier: MIT
import CBenchBaselines
import HTTPTransport
import ImageCoding
import WebImage

extension Family {
    static let distinctLoads = Family(
        name: "distinct-loads",
        summary: "5,000 different loads at once from a warm stub, without a disk cache, against stub and decoder alone"
    ) { effort, show in
        let file = try Photograph.tiny()
        let transport = WarmTransport(body: file)
        let requests = try ImageRequest.numbered(5_000)
        let figures = try await measure(
            effort,
            Contender("ImageManager", count: requests.count) { count in
                // A new one each time, so that nothing is in memory.
                let manager = ImageManager(configuration: .with(nil), transport: transport)
                try await atOnce(count) { blackHole(try await manager.image(for: requests[$0])) }
                _ = await manager.shutdown(within: .seconds(1))
            },
            .decoder(transport, requests))
        let overhead = Report.time(figures[0].cpu - figures[1].cpu)
        show(
            Row(
                "distinct-loads, no disk", figures[0], against: figures[1], by: .cpu, atMost: 3,
                note: "overhead \(overhead) each"))
    }

    /// With a disk cache, as a manager has one by default: in a folder that has been used.
    static let distinctLoadsOnDisk = Family(
        name: "distinct-loads-disk",
        summary: "the same with a disk cache, not written and written, the latter against stub, decoder and plain file"
    ) { effort, show in
        let file = try Photograph.tiny()
        let transport = WarmTransport(body: file)
        let requests = try ImageRequest.numbered(5_000)
        let coders = ImageCoders.default
        let folders = try UsedFolders(count: 2 * effort.repeats + 4)
        defer { folders.remove() }
        let figures = try await measure(
            effort,
            Contender("ImageManager", count: requests.count) { count in
                let manager = await ImageManager.ready(in: try folders.next(), transport)
                try await atOnce(count) { blackHole(try await manager.image(for: requests[$0])) }
                let report = await manager.shutdown(within: .seconds(60))
                guard report.isClean else { throw Failure("writes were dropped") }
            },
            Contender("transport, decoder, plain file", count: requests.count) { count in
                let folder = try folders.next()
                try await atOnce(count) { number in
                    let response = try await transport.send(HTTPRequest(url: requests[number].url))
                    let bytes = try await response.body.collect(upTo: file.count)
                    blackHole(try coders.decode(bytes, options: DecodeOptions()))
                    let path = "\(folder)/plain-\(number)"
                    guard unsafe bench_file_store(path + "~", path, bytes, bytes.count) else {
                        throw Failure("could not write \(path)")
                    }
                }
            },
            Contender("ImageManager that does not write", count: requests.count) { count in
                let manager = await ImageManager.ready(in: folders.first, transport)
                try await atOnce(count) { number in
                    var request = requests[number]
                    request.cacheWrites = .memory
                    blackHole(try await manager.image(for: request))
                }
                _ = await manager.shutdown(within: .seconds(1))
            },
            .decoder(transport, requests))
        show(Row("distinct-loads/unwritten", figures[2], against: figures[3], by: .cpu, atMost: 5))
        show(Row("distinct-loads/written", figures[0], against: figures[1], by: .cpu, atMost: 2.5))
    }

    static let startAndCancelLoads = startAndCancelLoads(
        name: "start-cancel-loads", row: "start-cancel-loads, no disk", onDisk: false)
    static let startAndCancelLoadsOnDisk = startAndCancelLoads(
        name: "start-cancel-loads-disk", row: "start-cancel-loads", onDisk: true)

    private static func startAndCancelLoads(name: String, row: String, onDisk: Bool) -> Family {
        Family(
            name: name,
            summary:
                "5,000 different loads begin while the transport holds its answers, and are cancelled and unwound; "
                + (onDisk ? "with a disk cache in a used folder" : "without a disk cache")
        ) { effort, show in
            let requests = try ImageRequest.numbered(5_000)
            let folders = try UsedFolders(count: 1)
            defer { folders.remove() }
            let figures = try await measure(
                effort,
                Contender("ImageManager", count: requests.count) { count in
                    let transport = SilentTransport(expecting: count)
                    let manager = await ImageManager.ready(in: onDisk ? folders.first : nil, transport)
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
            show(
                Row(
                    row, figures[0], against: figures[1], by: .cpu, atMost: onDisk ? 10 : 7,
                    note: "each, its own task included"))
        }
    }

    static let startAndCancelTransfers = Family(
        name: "start-cancel-transfers",
        summary: "the same for 1,000 loads that have all reached the transport"
    ) { effort, show in
        let requests = try ImageRequest.numbered(1_000)
        var configuration = ImageManager.Configuration.with(nil)
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
        show(Row("start-cancel-transfers, no disk", figures[0], against: figures[1], by: .cpu, atMost: 12))
    }
}

extension Contender {
    /// What a load cannot do without: the answer and its pixels.
    fileprivate static func decoder(_ transport: WarmTransport, _ requests: [ImageRequest]) -> Contender {
        let coders = ImageCoders.default
        return Contender("transport and decoder alone", count: requests.count) { count in
            try await atOnce(count) { number in
                let response = try await transport.send(HTTPRequest(url: requests[number].url))
                let bytes = try await response.body.collect(upTo: transport.body.count)
                blackHole(try coders.decode(bytes, options: DecodeOptions()))
            }
        }
    }
}

extension ImageManager {
    /// A manager whose disk cache, if it has one, has listed its folder.
    fileprivate static func ready(in folder: String?, _ transport: any HTTPLoading) async -> ImageManager {
        let manager = ImageManager(configuration: .with(folder), transport: transport)
        _ = await manager.diskCache?.entryCount
        return manager
    }
}

extension ImageManager.Configuration {
    /// With a disk cache in this folder, if there is one, and for loopback origins too.
    static func with(_ folder: String?) -> Self {
        var configuration = Self()
        configuration.disk = folder.map { .init(folder: $0) }
        configuration.transport.addressPolicy = .unrestricted
        return configuration
    }
}
