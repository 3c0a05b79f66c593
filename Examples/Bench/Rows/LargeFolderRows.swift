// SPDX-License-Identifier: MIT
import CBenchBaselines
import Foundation
import WebImage

extension Family {
    static let largeFolder = Family(
        name: "large-folder",
        summary: "a disk cache with a million entries (--quick: 50,000): start, index, choosing, trim",
        isOnRequest: true
    ) { effort, show in
        let count = effort.repeats > Effort.quick.repeats ? 1_000_000 : 50_000
        let folder = try LargeFolder(count: count)
        defer { folder.remove() }
        try await folder.storeRealEntries()
        try await showStart(of: folder, show)
        try await showTrim(of: folder, show)
    }

    /// The first hit of a new cache, and what goes on while it lists.
    private static func showStart(of folder: LargeFolder, _ show: @Sendable (Row) -> Void) async throws {
        let heap = bench_heap_bytes()
        let start = bench_wall_seconds()
        let cache = folder.makeCache()
        guard try await cache.entry(for: folder.key(0)) != nil else { throw Failure("a stored entry is missing") }
        let hit = bench_wall_seconds() - start
        show(Row("large-folder/first-hit", hit, against: "50 ms", 0.05, atMost: 1))
        // How often each hit waits for the listing behind it.
        var slowest = 0.0
        while await !cache.statistics.isIndexComplete {
            let began = bench_wall_seconds()
            _ = try await cache.entry(for: folder.key(1))
            slowest = max(slowest, bench_wall_seconds() - began)
            try await Task.sleep(for: .milliseconds(1))
        }
        let perEntry = Double(bench_heap_bytes() - heap) / Double(await cache.entryCount)
        show(
            Row(
                "large-folder/hit-slowest", slowest, against: "10 ms", 0.01, atMost: 1,
                note: "while it lists; \(Report.decimal(perEntry, 1)) bytes an entry"))
        _ = await cache.shutdown(within: .seconds(60))
    }

    /// What a trim does to others: the longest wait for the cache's actor, and a slice.
    private static func showTrim(of folder: LargeFolder, _ show: @Sendable (Row) -> Void) async throws {
        let cache = folder.makeCache()
        let unlinks = try folder.unlinkPlainFiles()
        let total = await cache.totalBytes
        var removed = 0
        func remove(_ count: Int) async throws -> (wall: Double, cpu: Double) {
            removed += count
            let (wall, cpu) = (bench_wall_seconds(), bench_cpu_seconds())
            try await cache.trim(toBytes: total - removed * folder.entrySize)
            return (bench_wall_seconds() - wall, bench_cpu_seconds() - cpu)
        }
        // Each call chooses; then it removes a hundred files or thirty hundred.
        var single: [(wall: Double, cpu: Double)] = []
        for _ in 0..<5 { single.append(try await remove(100)) }
        let many = try await remove(3_000)
        let (wall, cpu) = (median(single.map(\.wall)), median(single.map(\.cpu)))
        let slice = (wall: (many.wall - wall) / 29, cpu: (many.cpu - cpu) / 29)
        show(
            Row(
                "large-folder/choose", cpu - slice.cpu, against: "100 unlinks", unlinks.cpu, by: .cpu, atMost: 6,
                note: "on a thread"))
        show(Row("large-folder/slice", slice.cpu, against: "100 unlinks", unlinks.cpu, by: .cpu, atMost: 2.5))
        show(Row("large-folder/slice", slice.wall, against: "10 ms", 0.01, atMost: 1))
        let idle = Idle()
        // Unstructured because it is cancelled alone; it is awaited here.
        let waits = Task { @concurrent in
            await longestWaits {
                _ = await cache.statistics
            } and: {
                await idle.touch()
            }
        }
        for _ in 0..<10 { _ = try await remove(100) }
        waits.cancel()
        let (own, other) = await waits.value
        show(
            Row(
                "large-folder/actor-wait", own, against: "10 ms", 0.01, atMost: 1,
                note: "the longest of all calls; of an idle actor \(Report.time(other))"))
        _ = await cache.shutdown(within: .seconds(60))
    }

    /// The longest of two calls, made in turns until the task is cancelled.
    private static func longestWaits(
        _ first: @Sendable () async -> Void, and second: @Sendable () async -> Void
    ) async -> (Double, Double) {
        var longest = (0.0, 0.0)
        while !Task.isCancelled {
            let start = bench_wall_seconds()
            await first()
            let middle = bench_wall_seconds()
            await second()
            longest = (max(longest.0, middle - start), max(longest.1, bench_wall_seconds() - middle))
            await Task.yield()
        }
        return longest
    }
}

private actor Idle {
    private var count = 0
    func touch() { count += 1 }
}
