// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// Responses of which a seed has changed the status line, the fields, the sizes, the codings or the redirects.
///
/// `SEEDS=1000` sends a million of them, and prints figures; `SEED=17` replays one thousand.
@Suite(.timeLimit(.minutes(60)))
struct MutatedResponseTests {
    /// Responses for one seed.
    private static let count = 1_000
    private static let lanes = 16

    /// The ends of transfers: an answer, or the code of an error.
    private struct Outcomes: Sendable {
        var answers = 0
        /// Intact responses that failed because of late bytes of a broken one.
        var echoes = 0
        var errors: [String: Int] = [:]

        mutating func add(_ other: Outcomes) {
            answers += other.answers
            echoes += other.echoes
            errors.merge(other.errors, uniquingKeysWith: +)
        }
    }

    /// The codes for what an origin may do wrong.
    private static let expected: Set<HTTPError.Code> = [
        .connectionLost, .truncatedBody, .invalidResponse, .headersTooLarge, .bodyTooLarge, .compressionRatioExceeded,
        .tooManyRedirects, .redirectNotAllowed, .addressNotAllowed, .cannotConnect, .cannotResolveHost, .timedOut,
        .tlsFailed,
    ]
    /// What late bytes of a broken response do to the next request over its connection.
    private static let echoes: Set<HTTPError.Code> = [.invalidResponse, .connectionLost]

    private static var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration.loopback
        // A mutated `Location` must not lead out of this machine.
        configuration.addressPolicy.allowedHosts = ["127.0.0.1", "localhost"]
        configuration.maximumConnectionsPerHost = lanes
        configuration.idleTimeout = .seconds(30)
        configuration.totalTimeout = .seconds(60)
        configuration.maximumBodyByteCount = 1 << 20
        return configuration
    }

    @Test func `each mutated response is an answer or one typed error and the next request is not affected`()
        async throws
    {
        var settings = OriginServer.Configuration()
        settings.maximumRecordedRequestCount = 0
        let origin = try OriginServer.start(configuration: settings)
        origin.respondToEverything { .byHand(Self.conversation($0.target)) }
        let client = HTTPClient(configuration: Self.configuration)
        var outcomes = Outcomes()
        let (clock, start) = (ContinuousClock(), ContinuousClock.now)
        var memory = 0
        for seed in Seeds.first(1) {
            outcomes.add(try await Self.run(seed, origin, client))
            if memory == 0 { memory = Self.residentBytes }
        }
        await client.expectEmptyTables()
        let growth = Self.residentBytes - memory
        let total = outcomes.answers + outcomes.errors.values.reduce(0, +)
        print("\(total) mutated responses in \(start.duration(to: clock.now)): \(outcomes.answers) answers")
        print(
            "  errors: "
                + outcomes.errors.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        )
        print("  resident memory after the first seed \(memory >> 10) KiB, since then \(growth >> 10) KiB more")
        print("  \(outcomes.echoes) intact responses lost to late bytes of broken ones")
        expectAll(outcomes.answers > total / 10, outcomes.errors.count > 5, outcomes.echoes <= 5 + total / 1_000)
        await client.shutdown()
        // Every connection of the client has ended; a leak would keep this from ever coming true.
        while origin.openConnections > 0 { await Task.yield() }
        origin.stop()
    }

    /// What the origin does with a request for `/SEED/NUMBER`, or for an intact answer.
    private static func conversation(_ target: String) -> @Sendable (OriginWire) -> Void {
        let numbers = target.split(separator: "/").compactMap { UInt64($0) }
        guard numbers.count == 2 else {
            return { $0.write("HTTP/1.1 200 OK\r\nContent-Length: \(target.utf8.count)\r\n\r\n\(target)") }
        }
        return { wire in
            let response = MutatedResponse(seed: numbers[0], number: Int(numbers[1]))
            for piece in response.pieces where !wire.write(piece) { return }
            switch response.ending {
            case .open: break
            case .closed: wire.close()
            case .reset: wire.reset()
            case .silent:
                wire.pause(for: .seconds(1))
                wire.reset()
            }
        }
    }

    private static func run(_ seed: UInt64, _ origin: OriginServer, _ client: HTTPClient) async throws -> Outcomes {
        try await withThrowingTaskGroup(of: Outcomes.self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    var outcomes = Outcomes()
                    for number in stride(from: lane, to: count, by: lanes) {
                        try await send(seed, number, origin, client, &outcomes)
                    }
                    return outcomes
                }
            }
            return try await group.reduce(into: Outcomes()) { $0.add($1) }
        }
    }

    private static func send(
        _ seed: UInt64, _ number: Int, _ origin: OriginServer, _ client: HTTPClient, _ outcomes: inout Outcomes
    ) async throws {
        let name = Comment("SEED=\(seed), number \(number)")
        let response = MutatedResponse(seed: seed, number: number)
        do {
            var request = HTTPRequest(url: origin.url("/\(seed)/\(number)"))
            // A short silence is a fault of mutated responses alone; the others may be slow on a busy machine.
            if !response.isIntact { request.options.idleTimeout = .milliseconds(200) }
            let answer = try await client.send(request)
            let bytes = try await answer.body.collect(upTo: 2 << 20)
            outcomes.answers += 1
            expect((200...999).contains(answer.status), name)
            if let count = answer.body.expectedByteCount { expectEqual(bytes.count, count, name) }
            // Not compared by the macro, which would print the bytes.
            let isSame = bytes == response.content
            if response.isIntact { expect(isSame, name) }
        } catch let error as HTTPError {
            outcomes.errors["\(error.code)", default: 0] += 1
            let isExpected = (response.isIntact ? echoes : expected).contains(error.code)
            if response.isIntact { outcomes.echoes += 1 }
            expect(isExpected, "\(error) \(name): \(isExpected ? "" : response.beginning)")
            expect(!error.message.hasPrefix("The request did not end"), name)
        }
        guard number.isMultiple(of: 5) else { return }
        // What a broken response leaves on a kept connection must not answer another request.
        let path = "/intact?\(seed)-\(number)"
        do {
            let next = try await client.get(origin.url(path)).body.collect(upTo: 100)
            expectEqual(String(decoding: next, as: UTF8.self), path, name)
        } catch let error as HTTPError {
            outcomes.echoes += 1
            expect(echoes.contains(error.code), "\(error) \(name)")
        }
    }

    private static var residentBytes: Int { ResidentMemory.byteCount }
}
