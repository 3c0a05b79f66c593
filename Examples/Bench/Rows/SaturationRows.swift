// SPDX-License-Identifier: MIT
import CBenchBaselines
import Foundation
import HTTPTransport
import ImageCoding
import WebImage

extension Family {
    static let saturation = Family(
        name: "saturation", summary: "a memory hit and a hop to the main actor while all pools are busy, against idle"
    ) { effort, show in
        let scene = try await BusyServer()
        defer { scene.discard() }
        var idle = Latencies()
        var busy = Latencies()
        // In turns, like all contenders.
        for _ in 0..<3 {
            try await idle.sample(scene, count: effort.repeats * 30)
            try await scene.whileBusy { try await busy.sample(scene, count: effort.repeats * 30) }
        }
        for (name, share, ceiling) in [("p50", 0.5, 4.0), ("p99", 0.99, 15)] {
            show(
                Row(
                    "busy-hit/\(name)", quantile(busy.hits, share), against: "the same, idle",
                    quantile(idle.hits, share), atMost: ceiling))
            show(
                Row(
                    "busy-main-hop/\(name)", quantile(busy.hops, share), against: "the same, idle",
                    quantile(idle.hops, share), atMost: ceiling))
        }
        _ = await scene.manager.shutdown(within: .seconds(1))
    }
}

/// Seconds, one value for each sample.
private struct Latencies {
    var hits: [Double] = []
    var hops: [Double] = []

    /// Half a millisecond apart, as requests come to a server: each sample finds a thread that has to be woken.
    mutating func sample(_ server: BusyServer, count: Int) async throws {
        for _ in 0..<count {
            try await Task.sleep(for: .microseconds(500))
            let start = bench_wall_seconds()
            blackHole(try await server.manager.image(for: server.remembered))
            let afterHit = bench_wall_seconds()
            await MainActor.run {}
            hits.append(afterHit - start)
            hops.append(bench_wall_seconds() - afterHit)
        }
    }
}

/// A manager whose every pool can be kept busy: loads that decode large pictures, and traffic on the disk cache.
private struct BusyServer {
    let manager: ImageManager
    let remembered: ImageRequest
    private let disk: DiskCache
    private let origin: Origin
    private let folder: ScratchFolder
    private let large: [UInt8]

    init() async throws {
        folder = try ScratchFolder()
        large = try Photograph.twelveMegapixels()
        origin = try Origin(["/": Photograph.tiny(), "/large": large])
        var configuration = ImageManager.Configuration()
        configuration.transport.addressPolicy = .unrestricted
        configuration.disk = DiskCache.Configuration(folder: folder.path("cache"))
        manager = ImageManager(configuration: configuration)
        guard let disk = manager.diskCache else { throw Failure("the manager has no disk cache") }
        self.disk = disk
        remembered = ImageRequest(try origin.url("/tiny.jpeg"))
        _ = try await manager.image(for: remembered)
    }

    /// Runs `body` while twice as many loads as cores wait for decoding and every disk thread has work.
    func whileBusy(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup { group in
            for number in 0..<(2 * ProcessInfo.processInfo.activeProcessorCount) {
                var request = ImageRequest(try origin.url("/large/\(number).jpeg"))
                request.cachePolicy = .reload
                request.cacheWrites = .disk
                group.addTask { [request] in
                    while !Task.isCancelled { _ = try? await manager.image(for: request) }
                }
            }
            for number in 0..<4 {
                let key = CacheKey("https://example.com/traffic/\(number)")
                let entry = DiskEntry(metadata: EntryMetadata(url: key.rawValue), bytes: large)
                group.addTask {
                    while !Task.isCancelled {
                        _ = try? await disk.store(entry, for: key)
                        _ = try? await disk.entry(for: key)
                    }
                }
            }
            try await Task.sleep(for: .milliseconds(200))
            try await body()
            group.cancelAll()
        }
    }

    func discard() {
        origin.stop()
        folder.remove()
    }
}
