// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.replayed) struct RecentFailuresTests {
    /// A time that a test moves.
    private final class Time: Sendable {
        private let instant = Mutex(ContinuousClock.now)
        var now: ContinuousClock.Instant { instant.withLock { $0 } }
        func pass(_ seconds: Int) { instant.withLock { $0 += .seconds(seconds) } }
    }

    private let time = Time()

    private func failures(capacity: Int = 10_000) -> RecentFailures {
        let time = time
        return RecentFailures(capacity: capacity, lifetime: .seconds(10)) { time.now }
    }

    private static func key(_ number: Int, padding: Int = 0) -> LoadKey {
        let text = "http://a.example/\(number)?" + String(repeating: "x", count: padding)
        // As it arrives from a client: a text without room for more.
        let request = ImageRequest(URL(string: String(decoding: Array(text.utf8), as: UTF8.self))!)
        return LoadKey(request, variant: request.variantKey)
    }

    /// An error as the downloader makes it of an answer with large fields.
    private static func error(_ key: LoadKey, padding: Int) -> ImageLoadError {
        var error = ImageLoadError(
            code: .unacceptableStatus, message: "The origin answered with status \(padding) instead of a picture.",
            url: key.request.url, status: 404)
        var headers = HTTPHeaders()
        let value = String(repeating: "y", count: padding) + key.variant.rawValue.suffix(1)
        headers.append(name: "X-Padding", value: value)
        error.origin = OriginResponse(url: key.request.url, status: 404, headers: headers)
        return error
    }

    private static let plain = ImageLoadError(code: .emptyBody, message: "")

    @Test
    func `a failure is remembered until its time is over, and forgotten then, also when it is not requested again`() {
        do {
            let failures = failures()
            failures.record(Self.plain, for: Self.key(1), isOfAddress: true)
            time.pass(9)
            expectAll(failures.contains(Self.key(1)), !failures.contains(Self.key(2)))
            time.pass(1)
            expectAll(!failures.contains(Self.key(1)), failures.count == 0, failures.byteCount == 0)
        }

        // Failures that are never requested again are forgotten, too.
        let failures = failures()
        for number in 1...3 {
            failures.record(Self.plain, for: Self.key(number), isOfAddress: true, lifetime: .seconds(10 * number))
        }
        time.pass(20)
        expectAll(!failures.contains(Self.key(0)), failures.count == 1)
        time.pass(9)
        expect(failures.contains(Self.key(3)))
        time.pass(1)
        expectAll(!failures.contains(Self.key(0)), failures.count == 0)
    }

    @Test(arguments: [false, true])
    func `a failure answers requests that fail alike, and no other, until its own time is over`(isOfAddress: Bool) {
        let changes: [(change: (inout ImageRequest) -> Void, isAlike: Bool)] = [
            ({ $0.priority = .high }, true), ({ $0.limits = ImageLimits(maximumSide: 9) }, isOfAddress),
            ({ $0.failOn = .never }, false), ({ $0.firstFrameOnly = true }, false), ({ $0.cachePolicy = .http }, false),
            ({ $0.headers["X-User"] = "anna" }, false),
        ]
        for (number, (change, isAlike)) in changes.enumerated() {
            let failures = failures()
            var requests = [Self.key(0).request, Self.key(0).request]
            change(&requests[1])
            for (recorded, asked) in [(0, 1), (1, 0)] {
                let keys = [recorded, asked].map { LoadKey(requests[$0], variant: requests[$0].variantKey) }
                failures.record(Self.plain, for: keys[0], isOfAddress: isOfAddress)
                expectEqual([true, isAlike], keys.map { failures.contains($0) }, "\(number)")
                failures.forgetAll()
            }
        }

        // One that was recorded later may end earlier.
        let failures = failures()
        for (number, seconds) in [(1, 30), (2, 5)] {
            failures.record(Self.plain, for: Self.key(number), isOfAddress: isOfAddress, lifetime: .seconds(seconds))
        }
        time.pass(5)
        expectEqual([1, 2].map { failures.contains(Self.key($0)) }, [true, false])
    }

    @Test func `the list is bounded in failures and bytes, and drops the oldest first`() {
        let failures = failures(capacity: 8)
        for number in 0..<1_000 {
            failures.record(Self.plain, for: Self.key(number), isOfAddress: true)
            failures.record(Self.plain, for: Self.key(-1), isOfAddress: true)
            if number.isMultiple(of: 3) { failures.forget(Self.key(number)) }
            expect(failures.count, <=, 8)
        }
        expectAll(failures.contains(Self.key(-1)), failures.contains(Self.key(998)))
        expect(!failures.contains(Self.key(900)))
        let large = self.failures()
        for number in 0..<2_000 { large.record(Self.plain, for: Self.key(number, padding: 6_000), isOfAddress: true) }
        expectAll(large.byteCount <= 4 << 20, (400..<700).contains(large.count))
        large.respond(to: .critical)
        expectAll(large.byteCount <= 512 << 10, large.contains(Self.key(1_999, padding: 6_000)))
        large.respond(to: .normal)
        large.forgetAll()
        expectEqual(large.byteCount, 0)
        let advice = String(repeating: "a", count: 6_000)
        let cause = HTTPError(code: .transferFailed, message: "", advice: advice)
        let advised = ImageLoadError(code: .transferFailed, message: "", advice: advice, cause: cause)
        large.record(advised, for: Self.key(0), isOfAddress: true)
        expect(large.byteCount > 12_000)
    }

    @Test(.enabled(if: hasSystemAllocator))
    func `the bytes are those that the allocator gives, within a fifth`() async {
        await #expect(processExitsWith: .success) {
            for (padding, fields) in [(60, 100), (1_000, 0), (6_000, 0), (60, 20_000)] {
                let (list, given) = heapGrowth {
                    let list = RecentFailures(capacity: 10_000, lifetime: .seconds(1_000))
                    for number in 0..<150 {
                        let key = RecentFailuresTests.key(number, padding: padding)
                        list.record(RecentFailuresTests.error(key, padding: fields), for: key, isOfAddress: true)
                    }
                    return list
                }
                let counted = list.byteCount
                expectEqual(list.count, 150)
                expect(abs(given - counted) * 5, <=, given, "\(padding), \(fields): \(counted) for \(given)")
            }
        }
    }
}
