// SPDX-License-Identifier: MIT
import CBenchBaselines
import Foundation
import RedisStore
import SharedStores
import WebImage

extension Family {
    /// What a read from a shared store costs the process that reads.
    static let redisHit = Family(
        name: "redis-hit", summary: "20 KB from a RedisStore, one caller and 64, against a loop of hiredis in C",
        isOnRequest: true
    ) { effort, show in
        let folder = try ScratchFolder()
        defer { folder.remove() }
        guard let server = try ServerProcess.redis(in: folder) else { throw Failure("redis-server is not installed") }
        defer { server.stop() }
        let store = RedisStore(.init(try RedisAddress("redis://127.0.0.1:\(server.port)")))
        guard await store.connected(within: .seconds(10)), let plain = unsafe bench_redis_make(Int32(server.port))
        else {
            throw Failure("no connection to Redis")
        }
        defer { unsafe bench_redis_free(plain) }
        let (key, size) = (SharedKey(CacheKey("bench")), 20_000)
        try await store.store(Noise.bytes(size), for: key, lifetime: .seconds(3_600))
        for callers in [1, 64] {
            let figures = try await measure(
                effort,
                Contender("RedisStore") { count in
                    try await inParallel(callers, count: count) {
                        guard try await store.bytes(for: key)?.count == size else { throw Failure("no hit") }
                    }
                },
                Contender("hiredis in C") { count in
                    guard unsafe bench_redis_run(plain, "swi1:{\(key)}", count, Int32(callers), size) == 0 else {
                        throw Failure("no hit in C")
                    }
                })
            let wall = (Report.time(figures[0].wall), Report.time(figures[1].wall))
            show(
                Row(
                    "redis-hit-\(callers)", figures[0], against: figures[1], by: .cpu, atMost: callers == 1 ? 2 : 3,
                    note: "in real time \(wall.0) against \(wall.1)"))
        }
        await store.shutdown()
    }
}
