// SPDX-License-Identifier: MIT
import CBenchBaselines
import Foundation
import HTTPTransport

extension Family {
    /// The memory of downloads whose origin has stopped sending, each with the task that reads it.
    static let idleDownloads = Family(
        name: "idle-downloads", summary: "the memory of a download that waits for its body, 10,000 at once",
        isOnRequest: true
    ) { _, show in
        // Twice as many descriptors, because a client leaves half of them to files.
        let count = min(10_000, max(1, (descriptorLimit() - 64) / 2))
        let server = bench_holder_start(1_000, 100_000)
        guard server.process > 0, let url = URL(string: "http://127.0.0.1:\(server.port)/") else {
            throw Failure("could not start the origin's process")
        }
        defer { bench_server_stop(server) }
        let ours = try await idleMemory(url, count)
        // What the allocator has kept would hide what C takes.
        bench_trim()
        let before = residentBytes()
        // Fewer, because libcurl's plain loop looks at every transfer in each step.
        let few = min(count, 1_000)
        let plain = try PlainDownloads(url, concurrency: few)
        try plain.begin(size: 1_000)
        let inC = Double(residentBytes() - before) / Double(few)
        withExtendedLifetime(plain) {}
        show(
            Row(
                "idle-downloads", ours, against: "libcurl in C", inC, by: .bytes, atMost: 1.6,
                note: "\(count) at once, 1 KB of each body received; C: \(few)"))
    }
}

/// The bytes of memory for each of so many downloads.
private func idleMemory(_ url: URL, _ count: Int) async throws -> Double {
    var configuration = HTTPClient.Configuration()
    configuration.addressPolicy = .unrestricted
    configuration.maximumConnectionsPerHost = count
    configuration.maximumConnections = count
    configuration.idleTimeout = .seconds(600)
    configuration.totalTimeout = .seconds(600)
    let client = HTTPClient(configuration: configuration)
    let (begun, report) = AsyncStream.makeStream(of: Void.self)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        let before = residentBytes()
        for _ in 0..<count {
            group.addTask {
                let body = try await client.send(HTTPRequest(url: url)).body
                var iterator = body.makeAsyncIterator()
                _ = try await iterator.next()
                report.yield()
                while try await iterator.next() != nil {}
            }
        }
        var waiting = 0
        for await _ in begun {
            waiting += 1
            if waiting == count { break }
        }
        let bytes = Double(residentBytes() - before) / Double(count)
        group.cancelAll()
        while let result = await group.nextResult() {
            if case .success = result { throw Failure("a download was not held") }
        }
        await client.shutdown()
        return bytes
    }
}

/// The memory of this process that is in use, in bytes.
private func residentBytes() -> Int {
    let sizes = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (sizes.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
}

private func descriptorLimit() -> Int {
    var limit = rlimit()
    _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_cur)
}
