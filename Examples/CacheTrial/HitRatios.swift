// SPDX-License-Identifier: MIT
import Foundation
import Synchronization
import WebImage

/// Replays traces through the caches themselves.
enum HitRatios {
    /// Hits, and the bytes of the hits, in percent.
    private struct Ratio {
        private var (requests, hits, bytes, hitBytes) = (0, 0, 0, 0)

        mutating func note(_ isHit: Bool, _ size: Int) {
            (requests, bytes) = (requests + 1, bytes + size)
            if isHit { (hits, hitBytes) = (hits + 1, hitBytes + size) }
        }

        var ofRequests: Double { 100 * Double(hits) / Double(max(1, requests)) }
        var ofBytes: Double { 100 * Double(hitBytes) / Double(max(1, bytes)) }
    }

    /// - Returns: Whether each ratio is within half a point of the simulator's, and above that of LRU.
    static func run() async -> Bool {
        say("hits in percent of requests (bytes); 100,000 pictures, 2,000,000 requests, 5 % of the bytes in memory")
        var isFine = true
        for trace in Trace.all(pictures: 100_000, requests: 2_000_000) {
            let limit = trace.footprint / 20
            let (own, recent) = (memory(trace, limit), lru(trace, limit))
            let isGood = abs(own.ofRequests - trace.simulated) <= 0.5 || own.ofRequests > trace.simulated
            let isBetter = own.ofRequests > recent.ofRequests
            isFine = isFine && isGood && isBetter
            say(
                "MemoryCache \(text(own)), simulator \(trace.simulated), LRU \(text(recent)): \(trace.name)"
                    + (isGood && isBetter ? "" : "   <-- not as it should be"))
        }
        say("10,000 pictures, 100,000 requests, 10 % of the bytes on disk")
        for trace in Trace.all(pictures: 10_000, requests: 100_000) {
            guard let own = await disk(trace, trace.footprint / 10) else { return false }
            let recent = lru(trace, trace.footprint / 10)
            let isBetter = own.ofRequests > recent.ofRequests
            isFine = isFine && isBetter
            say("DiskCache \(text(own)), LRU \(text(recent)): \(trace.name)\(isBetter ? "" : "   <-- not above LRU")")
        }
        return isFine
    }

    private static func text(_ ratio: Ratio) -> String {
        String(format: "%.1f (%.1f)", ratio.ofRequests, ratio.ofBytes)
    }

    private static func memory(_ trace: Trace, _ limit: Int) -> Ratio {
        let cache = MemoryCache<Int, Int>(.init(maximumCost: limit, maximumCount: .max))
        var ratio = Ratio()
        for number in trace.requests {
            let isHit = cache.value(for: number) != nil
            ratio.note(isHit, trace.sizes[number])
            if !isHit { _ = cache.store(number, for: number, cost: trace.sizes[number]) }
        }
        return ratio
    }

    private static func lru(_ trace: Trace, _ limit: Int) -> Ratio {
        var (ratio, used) = (Ratio(), 0)
        // Where each picture was requested last, and whether that was its last request so far.
        var last = [Int](repeating: -1, count: trace.sizes.count)
        var oldest = 0
        for (time, number) in trace.requests.enumerated() {
            let size = trace.sizes[number]
            let isHit = last[number] >= oldest
            ratio.note(isHit, size)
            if !isHit { used += size }
            last[number] = time
            while used > limit, oldest <= time {
                let victim = trace.requests[oldest]
                if last[victim] == oldest { used -= trace.sizes[victim] }
                oldest += 1
            }
        }
        return ratio
    }

    /// The cache's clock ticks once for each request.
    private static func disk(_ trace: Trace, _ limit: Int) async -> Ratio? {
        let memory = URL(filePath: "/dev/shm")
        let parent =
            FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
        let folder = parent.appending(path: "cache-trial-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let time = Ticker()
        let cache = DiskCache(
            .init(folder: folder.path, maximumByteCount: limit, maximumAge: .seconds(-1), now: { .seconds(time.now) }))
        let bytes = [UInt8](repeating: 7, count: trace.sizes.max() ?? 0)
        var ratio = Ratio()
        do {
            for number in trace.requests {
                time.tick()
                let key = CacheKey("\(number)")
                let isHit = try await cache.contains(key)
                ratio.note(isHit, trace.sizes[number])
                if !isHit {
                    let entry = DiskEntry(metadata: EntryMetadata(url: ""), bytes: Array(bytes[..<trace.sizes[number]]))
                    _ = try await cache.store(entry, for: key)
                }
            }
        } catch {
            say("error \(error)")
            return nil
        }
        _ = await cache.shutdown(within: .seconds(10))
        return ratio
    }

    private final class Ticker: Sendable {
        private let seconds = Atomic(Int(Date.now.timeIntervalSince1970))
        var now: Int { seconds.load(ordering: .relaxed) }
        func tick() { seconds.add(1, ordering: .relaxed) }
    }
}
