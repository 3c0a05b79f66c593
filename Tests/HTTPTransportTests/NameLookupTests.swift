// SPDX-License-Identifier: MIT
import Foundation
import Locks
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// Names that are answered late or never, and the threads that they may cost.
@Suite(.timeLimit(.minutes(1)))
struct NameLookupTests {
    /// Look-ups that end when the test says so; names that begin with "good" lead to this machine at once.
    private final class Names: Sendable {
        private let condition = NSCondition()
        private let state = Mutex((asked: [String](), running: 0, most: 0, isOpen: false, ended: Set<String>()))

        var asked: [String] { state.withLock { $0.asked } }
        var most: Int { state.withLock { $0.most } }
        var running: Int { state.withLock { $0.running } }

        func lookUp(_ name: String) -> Result<[IPAddress], NameResolver.Failure> {
            state.withLock { state in
                state.asked.append(name)
                state.running += 1
                state.most = max(state.most, state.running)
            }
            defer { state.withLock { $0.running -= 1 } }
            if name.hasPrefix("good") { return .success([.v4(0x7F00_0001)]) }
            condition.lock()
            while !state.withLock({ $0.isOpen || $0.ended.contains(name) }) { condition.wait() }
            condition.unlock()
            return name.hasPrefix("late") ? .success([.v4(0x7F00_0001)]) : .failure(.init(message: "never"))
        }

        func end(_ name: String) {
            condition.lock()
            _ = state.withLock { $0.ended.insert(name) }
            condition.broadcast()
            condition.unlock()
        }

        func open() {
            condition.lock()
            state.withLock { $0.isOpen = true }
            condition.broadcast()
            condition.unlock()
        }
    }

    private static func withNames(
        limit: Int = 3, connect: Duration = .seconds(50),
        _ body: (Names, OriginServer, HTTPClient) async throws -> Void
    ) async throws {
        let names = Names()
        let origin = try OriginServer.byHand { $0.respond(body: [1]) }
        var configuration = HTTPClient.Configuration.loopback
        configuration.maximumNameLookups = limit
        configuration.connectTimeout = connect
        let client = HTTPClient(configuration: configuration) { names.lookUp($0) }
        defer {
            names.open()
            origin.stop()
        }
        try await body(names, origin, client)
        await client.expectEmptyTables()
        await client.shutdown()
    }

    private static func send(_ client: HTTPClient, to host: String, _ origin: OriginServer) async throws -> [UInt8] {
        let url = URL(string: "http://\(host):\(origin.port)/")!
        return try await client.get(url).body.collect(upTo: 1)
    }

    private static func expectAnswer(_ client: HTTPClient, to host: String, _ origin: OriginServer) async throws {
        let bytes = try await send(client, to: host, origin)
        expectEqual(bytes, [1])
    }

    @Test(arguments: [1, 3])
    func `look-ups that never end cost as many threads as the limit, also when their transfers are over`(
        limit: Int
    ) async throws {
        try await Self.withNames(limit: limit, connect: .milliseconds(300)) { names, origin, client in
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<60 {
                    group.addTask {
                        await expectHTTPError(.timedOut) {
                            try await Self.send(client, to: "stuck\(index).example", origin)
                        }
                    }
                }
            }
            expectEqual(names.most, limit)
            expectEqual(names.running, limit)
            // What no transfer waits for any more is not looked up later either.
            expectEqual(client.table.resolver.counts.waiting, 0)
            names.open()
            try await Self.expectAnswer(client, to: "good.example", origin)
            expectEqual(names.asked.count, limit + 1)
        }
    }

    @Test func `transfers for one name share its look-up`() async throws {
        try await Self.withNames { names, origin, client in
            let tasks = (0..<20).map { _ in Task.immediate { try await Self.send(client, to: "late.example", origin) } }
            await expectEqual(client.transferCount, 20)
            names.open()
            for task in tasks { _ = try await task.value }
            expectEqual(names.asked, ["late.example"])
        }
    }

    @Test func `a name that waits for a thread is looked up once for all its transfers`() async throws {
        try await Self.withNames(limit: 1) { names, origin, client in
            let first = Task.immediate { try await Self.send(client, to: "late1.example", origin) }
            while names.running == 0 { await Task.yield() }
            let tasks = (0..<5).map { _ in Task.immediate { try await Self.send(client, to: "late2.example", origin) } }
            await expectEqual(client.transferCount, 6)
            expectEqual(client.table.resolver.counts.waiting, 1)
            names.open()
            for task in [first] + tasks { try await expectEqual(task.value, [1]) }
            expectEqual(names.asked, ["late1.example", "late2.example"])
        }
    }

    @Test func `a look-up that waited for a thread counts while it runs`() async throws {
        try await Self.withNames(limit: 1) { names, origin, client in
            func send(_ name: String) -> Task<[UInt8], any Error> {
                Task.immediate { try await Self.send(client, to: name, origin) }
            }
            let first = send("late1.example")
            while names.running < 1 { await Task.yield() }
            let second = send("late2.example")
            // An address needs no look-up: what was sent before it has been begun.
            _ = try await Self.send(client, to: "127.0.0.1", origin)
            names.end("late1.example")
            while names.asked.last != "late2.example" { await Task.yield() }
            _ = try await first.value
            let others = [send("late2.example"), send("late3.example")]
            _ = try await Self.send(client, to: "127.0.0.1", origin)
            expectEqual(names.asked, ["late1.example", "late2.example"])
            names.open()
            for task in [second] + others { _ = try await task.value }
            expectEqual(names.most, 1)
            expectEqual(names.asked.count, 3)
        }
    }

    @Test func `one name that is never answered does not delay the others`() async throws {
        try await Self.withNames(limit: 2) { names, origin, client in
            let stuck = (0..<30).map { _ in Task { try await Self.send(client, to: "stuck.example", origin) } }
            while names.running == 0 { await Task.yield() }
            for index in 0..<20 { try await Self.expectAnswer(client, to: "good\(index).example", origin) }
            for task in stuck { task.cancel() }
            for task in stuck { await expectError(CancellationError.self) { try await task.value } }
        }
    }

    @Test func `a name is looked up once for connections that are reused and while it is remembered`() async throws {
        try await Self.withNames { names, origin, client in
            for _ in 0..<5 { try await Self.expectAnswer(client, to: "good.example", origin) }
            expectEqual(origin.connectionCount, 1)
            // Another connection, and the same name.
            let other = try OriginServer.byHand { $0.respond(body: [1]) }
            defer { other.stop() }
            expectEqual(names.asked, ["good.example"])
            try await Self.expectAnswer(client, to: "GOOD.example", other)
        }
    }

    @Test(arguments: ["good.example.", "good_x.example", "good-1.example", "127.1", "2130706433", "127.0.0.1"])
    func `every spelling of a host gets through`(_ host: String) async throws {
        try await Self.withNames { _, origin, client in
            for _ in 0..<2 { try await Self.expectAnswer(client, to: host, origin) }
        }
    }

    @Test func `a name that leads to a private address is refused, and its end makes room for those that wait`()
        async throws
    {
        var configuration = HTTPClient.Configuration()
        configuration.maximumConnectionsPerHost = 1
        let client = HTTPClient(configuration: configuration) { name in
            .success(name == "many.example" ? [.v4(0x7F00_0001), .v6(1), .v4(0x0A00_0001)] : [.v4(0x0A00_0001)])
        }
        for name in ["many.example", "sly.example"] {
            let request = HTTPRequest(url: URL(string: "http://\(name)/")!)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        await expectHTTPError(.addressNotAllowed, "\(name)") { try await client.send(request) }
                    }
                }
            }
        }
        await client.expectEmptyTables()
        await client.shutdown()
    }

    @Test func `the system leads localhost to this machine, and a reserved name nowhere`() throws {
        let addresses = try NameResolver.system("localhost").get()
        expect(addresses.allSatisfy { address in IPNetwork.loopback.contains { $0.contains(address) } })
        #expect(throws: NameResolver.Failure.self) { try NameResolver.system("nowhere.invalid").get() }
    }

    @Test func `a name that no thread was left for is told so, and holds no place`() async {
        await #expect(processExitsWith: .success) {
            let told = Journal<String>()
            let resolver = NameResolver(
                limit: 1, lookUp: { _ in .success([.v4(0x7F00_0001)]) },
                deliver: { name, result in if case .failure = result { told.write(name) } })
            let number = CInt(RLIMIT_AS.rawValue)
            var limit = rlimit()
            unsafe getrlimit(number, &limit)
            var none = limit
            none.rlim_cur = 0
            unsafe setrlimit(number, &none)
            resolver.start("a.example")
            unsafe setrlimit(number, &limit)
            try #require(told.entries == ["a.example"])
            try #require(resolver.counts.running == 0)
        }
    }

    @Test func `the time of a look-up is a part of that to connect and of the measurements`() async throws {
        let accepted = OriginGate()
        var silence = OriginServer.Configuration()
        silence.connectionGate = accepted
        let (silent, quick) = (try OriginServer.start(configuration: silence), try OriginServer.byHand { $0.respond() })
        defer { [silent, quick].forEach { $0.stop() } }
        let client = HTTPClient(
            configuration: .loopback { ($0.connectTimeout, $0.totalTimeout) = (.seconds(40_000), .seconds(80_000)) })
        let send = { (url: String, lookUpTime: Duration) async throws -> HTTPMetrics in
            let order = try TransferOrder(
                id: client.table.makeID(), HTTPRequest(url: required(URL(string: url))), in: client.table)
            _ = try await withThrowingSuspension { (caller: Transfer.Caller) in
                Task { await client.table.run(order, lookUpTime: lookUpTime, for: caller) }
            }
            return order.recorder.snapshot
        }
        // It has nothing left of its time: the handshake, which never ends, is given up at once.
        await expectHTTPError(.timedOut) { try await send("https://late.example:\(silent.port)/", .seconds(50_000)) }
        let metrics = try await send("http://late.example:\(quick.port)/", .seconds(3))
        expectAll(metrics.nameLookup >= .seconds(3), metrics.firstByte >= metrics.nameLookup + metrics.connect)
        expect(metrics.connect, <, .seconds(3))
        accepted.open()
        await client.shutdown()
    }
}

extension TransferTable {
    /// Runs a transfer whose name leads to this machine, and took that long to look up.
    fileprivate func run(_ order: TransferOrder, lookUpTime: Duration, for caller: Transfer.Caller) {
        let transfer = Transfer(order, for: caller)
        transfer.resolution = Transfer.Resolution(addresses: [.v4(0x7F00_0001)], time: lookUpTime)
        transfers[order.id] = transfer
        deadlines.update(transfer)
        expectEqual(admission.enter(transfer), .admitted)
        run(transfer)
    }
}
