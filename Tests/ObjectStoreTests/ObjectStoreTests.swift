// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import Locks
import SharedStores
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport
@testable import ObjectStore
@testable import WebImage

/// A store in front of a service that verifies each signature.
@Suite(.timeLimit(.minutes(10))) struct ObjectStoreTests {
    private let key = SharedKey(CacheKey("https://images.example/1.png"))

    private func store(
        _ service: ObjectService, bucket: String = "pictures",
        _ change: (inout ObjectStore.Configuration) -> Void = { _ in }
    ) throws -> ObjectStore {
        var configuration = ObjectStore.Configuration(service, bucket: bucket)
        configuration.readTimeout = .seconds(60)  // a machine that is busy is no failure
        configuration.writeTimeout = .seconds(60)
        change(&configuration)
        return try ObjectStore(configuration)
    }

    /// The error of a call.
    private func error(of call: () async throws -> Void) async -> SharedStoreError? {
        await expectError(SharedStoreError.self) { try await call() }
    }

    @Test func `another process finds what is stored, until it is removed`() async throws {
        let server = try BucketServer()
        let (one, other) = (try store(server.service()), try store(server.service()))
        let elsewhere = try store(server.service()) { $0.prefix = "other/" }
        try await expectNil(one.bytes(for: key))
        for count in [700_000, 64 << 10, 1, 0] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try await one.store(bytes, for: key, lifetime: .seconds(60))
            try await expectEqual(other.bytes(for: key), bytes)
        }
        try await expectNil(elsewhere.bytes(for: key))
        expectEqual(server.contents.keys.sorted(), ["swi1/\(key)"], "a hashed name")
        try await other.remove(key)
        try await other.remove(key)
        try await expectNil(one.bytes(for: key))
        expectEqual(server.faults.entries, [])
        for store in [one, other, elsewhere] { await store.shutdown() }
        await expectEqual(error { _ = try await one.bytes(for: key) }?.code, .shutDown)
    }

    @Test func `a session token, and a bucket in the name of the host`() async throws {
        var check = SignatureCheck()
        (check.sessionToken, check.region) = ("dG9rZW4=", "eu-central-1")
        let server = try BucketServer(check)
        let asked = Journal<String>()
        let client = HTTPClient(configuration: HTTPClient.Configuration().trustingEndpoint()) { name in
            asked.write(name)
            return .success([IPAddress("127.0.0.1")].compactMap { $0 })
        }
        let service = try server.service(style: .host, host: "s3.test")
        var configuration = ObjectStore.Configuration(service, bucket: "pictures")
        configuration.writeTimeout = .seconds(60)
        let store = try ObjectStore(configuration, client)
        try await store.store([1, 2], for: key, lifetime: .seconds(60))
        expectEqual(server.contents["swi1/\(key)"]?.bytes, [1, 2])
        expectEqual(Set(asked.entries), ["pictures.s3.test"])
        expectEqual(server.faults.entries, [])
        await store.shutdown()
    }

    @Test func `an object that has ended, or does not say when it ends, is a miss`() async throws {
        let server = try BucketServer()
        let now = Mutex(Duration.seconds(1_000))
        let store = try store(server.service()) { $0.now = { now.withLock { $0 } } }
        // Also a life that seconds cannot count.
        try await store.store([1], for: key, lifetime: .seconds(1e20))
        try await store.store([1], for: key, lifetime: .seconds(60))
        now.withLock { $0 += .seconds(59) }
        try await expectEqual(store.bytes(for: key), [1])
        now.withLock { $0 += .seconds(1) }
        try await expectNil(store.bytes(for: key))
        for end in [nil, "", "soon", "-1", "1059.5", "99999999999999999999"] {
            server.contents["swi1/\(key)"]?.end = end
            try await expectNil(store.bytes(for: key), "\(end ?? "nothing")")
        }
        try await store.store([2], for: key, lifetime: .seconds(Int64.max))
        try await expectEqual(store.bytes(for: key), [2])
        await store.shutdown()
    }

    @Test func `a wrong secret and a missing bucket are named, and the secret is not`() async throws {
        let server = try BucketServer()
        let wrong = try store(server.service(secret: "hush hush"))
        let refused = await error { _ = try await wrong.bytes(for: key) }
        expectEqual(refused?.code, .refused)
        expectEqual(refused?.message.contains("403 (SignatureDoesNotMatch)"), true)
        expectEqual(refused?.message.contains("hush"), false)
        await expectEqual(error { try await wrong.store([1], for: key, lifetime: .seconds(1)) }?.code, .refused)
        await expectEqual(error { try await wrong.remove(key) }?.code, .refused)
        let lost = try store(server.service(), bucket: "nowhere")
        for call in [
            { _ = try await lost.bytes(for: key) }, { try await lost.store([1], for: key, lifetime: .seconds(1)) },
        ] {
            let missing = await error(of: call)
            expectEqual(missing?.message.contains("404 (NoSuchBucket)"), true)
        }
        // A key that cannot sign is no trouble of the service.
        let odd = try store(ObjectService(endpoint: server.origin.url("/"), keyID: "a b", secret: "c"))
        await expectEqual(error { _ = try await odd.bytes(for: key) }?.code, .unsupported)
        for store in [wrong, lost, odd] { await store.shutdown() }
    }

    @Test func `a service in trouble, one that hangs and one that leads elsewhere are trouble of the store`()
        async throws
    {
        let other = try OriginServer.start()
        defer { other.stop() }
        try await withOriginServer { origin in
            let service = try ObjectService(endpoint: origin.url("/"), keyID: "a", secret: "b")
            let store = try store(service) {
                $0.readTimeout = .milliseconds(50)
                $0.maximumOriginalByteCount = 10
                $0.maximumFileByteCount = 10
            }
            let key = key
            for (reply, code) in [
                (BucketServer.refusal(503, "SlowDown"), SharedStoreError.Code.unreachable),
                (.redirect(to: other.url("/").absoluteString, status: 307), .refused), (.silence, .timedOut),
                (
                    .ok([UInt8](repeating: 0, count: (1 << 20) + 11)).header("x-amz-meta-expires", "9999999999"),
                    .malformed
                ),
                (.hangUp, .unreachable),
            ] {
                origin.respondToEverything { _ in reply }
                // A machine that is busy may take too long for any answer.
                var found: SharedStoreError?
                repeat {
                    found = await error { _ = try await store.bytes(for: key) }
                } while found?.code == .timedOut
                    && code != .timedOut
                expectEqual(found?.code, code)
            }
            expectEqual(other.requestCount, 0)
            await store.shutdown()
        }
    }

    @Test func `reads, writes and removals have their own limits of time`() async throws {
        for isWriting in [true, false] {
            try await withOriginServer { origin in
                let gate = OriginGate()
                // What has time is held, and the other never answered.
                origin.respondToEverything {
                    ($0.method == "GET") == isWriting ? .silence : .status(404).held(at: gate)
                }
                let store = try store(ObjectService(endpoint: origin.url("/"), keyID: "a", secret: "b")) {
                    if isWriting { $0.readTimeout = .milliseconds(20) } else { $0.writeTimeout = .milliseconds(20) }
                }
                let key = key
                if isWriting {
                    async let written = error { try await store.store([1], for: key, lifetime: .seconds(60)) }
                    async let removed: Void = store.remove(key)
                    await expect(origin.waitForRequests(count: 2))
                    await expectEqual(error { _ = try await store.bytes(for: key) }?.code, .timedOut)
                    gate.open()
                    // A bucket that takes nothing has stored nothing.
                    await expectEqual(written?.code, .refused)
                    try await removed
                } else {
                    async let found = store.bytes(for: key)
                    await expect(origin.waitForRequests(count: 1))
                    await expectEqual(error { try await store.remove(key) }?.code, .timedOut)
                    gate.open()
                    try await expectNil(found)
                }
                await store.shutdown()
            }
        }
    }

    @Test func `an object is read as it is up to the larger limit, and an error names a short word alone`() async throws
    {
        try await withOriginServer { origin in
            let large = [UInt8](repeating: 7, count: 3 << 20)
            let (end, key) = ("9999999999", key)
            for limits in [(3 << 20, 10), (10, 3 << 20)] {
                let store = try store(ObjectService(endpoint: origin.url("/"), keyID: "a", secret: "b")) {
                    ($0.maximumOriginalByteCount, $0.maximumFileByteCount) = limits
                }
                expectEqual(
                    [store.traits.maximumOriginalByteCount, store.traits.maximumFileByteCount], [limits.0, limits.1])
                let encoded = OriginReply.ok(large).header("Content-Encoding", "gzip").header("x-amz-meta-expires", end)
                origin.respondToEverything { _ in encoded }
                let isWhole = try await store.bytes(for: key) == large
                expect(isWhole)
                for (status, name, code, word) in [
                    (429, "SlowDown", .unreachable, " (SlowDown)"), (400, "Bad\u{7}[31m", .refused, " (Bad)"),
                    (400, String(repeating: "a", count: 65), .refused, " 400;"),
                ] as [(Int, String, SharedStoreError.Code, String)] {
                    origin.respondToEverything { _ in BucketServer.refusal(status, name) }
                    let error = await error { _ = try await store.bytes(for: key) }
                    expectEqual(error?.code, code)
                    expectEqual(error?.message.contains(word), true, "\(error?.message ?? "")")
                }
                await store.shutdown()
            }
        }
    }

    @Test func `the entry of one machine serves another, and a damaged or foreign one is a miss`() async throws {
        let server = try BucketServer()
        let stores = [try store(server.service()), try store(server.service())]
        let caches = stores.map { SharedCache(local: nil, stores: [$0]) }
        let names = [CacheKey("https://images.example/1.png"), CacheKey("https://images.example/2.png")]
        let entries = names.map { DiskEntry(metadata: EntryMetadata(url: $0.rawValue), bytes: Array($0.rawValue.utf8)) }
        for (name, entry) in zip(names, entries) { _ = try await caches[0].store(entry, for: name) }
        while server.contents.count < 4 { await Task.yield() }
        try await expectEqual(caches[1].entry(for: names[0])?.bytes, entries[0].bytes)
        let paths = names.map { "swi1/\(SharedKey($0))" }
        let kept = server.contents
        server.contents[paths[0]] = kept[paths[1]]
        try await expectNil(caches[1].entry(for: names[0]), "another's")
        server.contents[paths[0]] = kept[paths[0]]
        server.contents[paths[0]]?.bytes[100] ^= 1
        try await expectNil(caches[1].entry(for: names[0]), "damaged")
        expectEqual(caches[1].counters.hits, 1)
        expectEqual(caches[1].counters.troubles, 2)
        for cache in caches { _ = await cache.shutdown(within: .seconds(60)) }
    }

    @Test(arguments: [
        ("ab", "key"), ("Upper", "key"), ("a..b", "key"), ("-ab", "key"), ("a/b", "key"), ("a%2Fb", "key"),
        (String(repeating: "a", count: 64), "key"), ("ab-", "key"), ("ab.", "key"), (".ab", "key"),
        ("bucket", String(repeating: "a", count: 1_025)), ("bucket", ""), ("bucket", "/key"),
        ("bucket", "../other/key"), ("bucket", "a/../b"), ("bucket", "."),
    ])
    func `a name that could lead elsewhere is refused`(_ bucket: String, _ key: String) throws {
        let service = try ObjectService()
        let error = expectError(SharedStoreError.self) { try service.url(of: key, in: bucket) }
        expectEqual(error?.code, .unsupported)
        _ = try service.url(of: String(repeating: "a", count: 1_024), in: String(repeating: "a", count: 63))
    }

    @Test func `addresses are those of the style, and a service says what it takes`() throws {
        let minio = try ObjectService(endpoint: URL(string: "HTTP://minio:9000/"))
        try expectEqual(minio.url(of: "a b/ä", in: "bucket").absoluteString, "http://minio:9000/bucket/a%20b/%C3%A4")
        let amazon = try ObjectService(region: "eu-central-1")
        try expectEqual(
            amazon.url(of: "a", in: "bucket").absoluteString, "https://bucket.s3.eu-central-1.amazonaws.com/a")
        try expectEqual(
            amazon.url(of: "a", in: "my.bucket").absoluteString, "https://s3.eu-central-1.amazonaws.com/my.bucket/a")
        let local = try ObjectService(endpoint: URL(string: "http://[::1]:9000"))
        try expectEqual(local.url(of: "a", in: "bucket").absoluteString, "http://[::1]:9000/bucket/a")
        let inHost = try ObjectService(endpoint: URL(string: "http://[::1]:9000"), style: .host)
        expectError(SharedStoreError.self) { try inHost.url(of: "a", in: "bucket") }
        for endpoint in [
            "ftp://a", "http://", "http://a/b", "http://a?b", "http://u@a", "http://a/#f", "http://a%3A9000",
            "http://a%2Fb", "http://a%40b",
        ] {
            expectError(SharedStoreError.self) {
                try ObjectService(endpoint: URL(string: endpoint) ?? URL(filePath: "/"))
            }
        }
        expectError(SharedStoreError.self) { try ObjectService(region: "a.example/") }
        expectError(SharedStoreError.self) { try ObjectService(region: "eu.central-1") }
        expectError(SharedStoreError.self) { try ObjectService(keyID: "a") }
        expectError(SharedStoreError.self) { try ObjectService(secret: "a") }
        expectError(SharedStoreError.self) { try ObjectService(sessionToken: "a") }
    }
}
