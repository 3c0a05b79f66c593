// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import Locks
import TestSupport
import Testing
import WebImage
import WebImageTesting

@testable import ImageServer

@Suite(.timeLimit(.minutes(10)))
struct FreshnessTests {
    private static let now = Date(timeIntervalSince1970: 1e9)
    private static let url = URL(string: "http://example.com/a")!

    private func origin(_ field: String = "", age: Double = 0) -> OriginResponse {
        OriginResponse(
            url: Self.url, status: 200, headers: ["Cache-Control": field],
            receivedAt: Self.now.addingTimeInterval(-age))
    }

    @Test(arguments: [
        ("own", "max-age=10", "public, max-age=86400"), ("origin", "max-age=1000000", "public, max-age=1000000"),
        ("smaller", "max-age=1000000", "public, max-age=86400"), ("smaller", "max-age=10", "public, max-age=10"),
        ("own", "private, max-age=10", "private, max-age=86400"), ("own", "no-store", "no-store"),
        ("origin", "", "public, max-age=86400"), ("own", "No-Store, PRIVATE", "private, no-store"),
        ("own", "=", "public, max-age=86400"), ("own", "=, ==a, ,private=\"a, b\"", "private, max-age=86400"),
    ])
    func `the lifetime is the server's or the origin's`(authority: String, theirs: String, field: String) throws {
        let rule = FreshnessRule(authority: try required(.init(rawValue: authority)))
        let verdict = rule.verdict(on: origin(theirs), at: Self.now)
        expectEqual(verdict.cacheControl, field)
        expectEqual(verdict.isExpired, field.contains("no-store"))
    }

    @Test(arguments: FreshnessRule.Authority.allCases)
    func `a picture that the origin says nothing about expires when the server's lifetime is over`(
        authority: FreshnessRule.Authority
    ) {
        let rule = FreshnessRule(authority: authority, maximumAge: 60)
        let fresh = rule.verdict(on: origin(age: 59.5), at: Self.now)
        expectEqual(fresh, .init(cacheControl: "public, max-age=1", secondsLeft: 1))
        expect(!fresh.isExpired)
        for age in [60.0, 100, 1e8] {
            let verdict = rule.verdict(on: origin(age: age), at: Self.now)
            expect(verdict.isExpired)
            expectEqual(verdict.cacheControl, "public, no-cache")
        }
    }

    @Test func `the lifetime of the server and of an address counts from now, from the origin's last word, and ends`() {
        let own = FreshnessRule(authority: .own, maximumAge: 60)
        expect(!own.verdict(on: origin("max-age=1", age: 30), at: Self.now).isExpired)
        expect(own.verdict(on: origin("max-age=1000", age: 61), at: Self.now).isExpired)
        // What is left counts from now, for proxies that do not subtract an age.
        let left = FreshnessRule(maximumAge: 60).verdict(on: origin("max-age=600", age: 50), at: Self.now)
        expectEqual(left, .init(cacheControl: "public, max-age=10", secondsLeft: 10))
        // A server that lets no one keep pictures does not ask the origin each time.
        let rule = FreshnessRule(authority: .own, maximumAge: 0)
        let verdict = rule.verdict(on: origin(age: 100), at: Self.now)
        expectEqual(verdict.cacheControl, "public, no-cache")
        expect(!verdict.isExpired)
        expect(rule.verdict(on: origin(age: 90_000), at: Self.now).isExpired)
        // No copy is fresh for longer than its address.
        let short = FreshnessRule().verdict(on: nil, at: Self.now, until: 1_000_000_060)
        expectEqual(short.cacheControl, "public, max-age=60")
        expect(!short.isExpired)
        let over = FreshnessRule().verdict(on: nil, at: Self.now, until: 1_000_000_000)
        expectEqual(over.cacheControl, "public, no-cache")
    }

    @Test func `a picture that its origin confirms is fresh no longer than its address`() async throws {
        try await World.run { world async throws in
            let reply = OriginReply.ok(try Pictures.file(), type: "image/png").entityTag("\"v1\"")
            world.origin.respond(
                to: "/a.png", inTurn: reply.header("Cache-Control", "max-age=0"),
                reply.header("Cache-Control", "max-age=1000"))
            let path = world.path("w8,exp\(Int(Date.now.timeIntervalSince1970) + 100)")
            _ = try await world.get(path)
            let field = try await world.get(path).headers["Cache-Control"] ?? ""
            expectEqual(world.origin.requestCount(for: "/a.png"), 2)
            expect((1...100).contains(Int(field.dropFirst("public, max-age=".count)) ?? 0), "\(field)")
        }
    }

    @Test func `an original without a lifetime is asked for again, with its validator where it has one`() async throws {
        try await World.run { world async throws in
            let (old, new) = (try Pictures.file(seed: 1), try Pictures.file(seed: 2))
            world.origin.respond(
                to: "/a.png",
                inTurn: .ok(old, type: "image/png").entityTag("\"v1\""),
                .ok(old, type: "image/png").entityTag("\"v1\""),
                .ok(new, type: "image/png").entityTag("\"v2\""))
            let path = world.path("w16")
            let rule = FreshnessRule(maximumAge: 60)
            let clock = Mutex(Date.now)
            let service = world.service(rule) { clock.withLock { $0 } }
            func ask() async -> Answer { await service.answer(ServerRequest(id: "a", target: path)) }
            let first = await ask().body
            await expectEqual(ask().body, first)
            expectEqual(world.origin.requestCount(for: "/a.png"), 1)
            clock.withLock { $0 += 61 }
            let confirmed = await ask()
            expectEqual(confirmed.body, first)
            expect(confirmed.fields.contains { $0.value.contains("fwd-status=304") })
            expectEqual(world.origin.requestCount(for: "/a.png"), 2)
            clock.withLock { $0 += 61 }
            await expect(ask().body != first)
            expectEqual(world.origin.requestCount(for: "/a.png"), 3)
        }
    }
}
