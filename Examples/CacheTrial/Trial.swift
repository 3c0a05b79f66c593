// SPDX-License-Identifier: MIT
import Foundation
import Synchronization
import WebImage
import WebImageTesting

/// What one process does to the folder. Every body follows from its key and its version.
struct Trial: Sendable {
    private static let keyCount = 500

    private let cache: DiskCache
    private let options: Options
    private let folder: String
    private let end: ContinuousClock.Instant

    init(_ options: Options, folder: String) {
        self.options = options
        self.folder = folder
        end = .now + .seconds(options.seconds)
        cache = DiskCache(
            .init(
                folder: folder, maximumByteCount: options.maximumByteCount,
                // The process that answers lists the folder again and again, so that its index often knows every entry.
                sweepInterval: options.role == .answer ? .milliseconds(2) : .seconds(3_600),
                durability: options.isSynced ? .synced : .fast,
                onWarning: { say("warning \($0.code)") }))
    }

    /// Stores, and prints each key and version once it is kept.
    func write() async -> Bool {
        var (random, version, refused) = (SeededGenerator(seed: options.seed), options.seed << 32, 0)
        do {
            while end > .now {
                let number = Int.random(in: 0..<Self.keyCount, using: &random)
                version += 1
                let entry = DiskEntry(
                    metadata: EntryMetadata(url: "https://example.com/"), bytes: Self.body(number, version))
                let outcome = try await cache.store(entry, for: Self.key(number))
                if outcome.isStored {
                    say("kept \(number) \(version)")
                } else {
                    refused += 1
                    // A full disk is not tried for a second, so this loop would spin.
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
        } catch {
            say("error \(error)")
            return false
        }
        say("refused \(refused)")
        _ = await cache.shutdown(within: .seconds(10))
        return true
    }

    /// Reads and verifies.
    func read() async -> Bool {
        var random = SeededGenerator(seed: options.seed)
        return await repeatedly { cache in
            let number = Int.random(in: 0..<Self.keyCount, using: &random)
            guard let entry = try await cache.entry(for: Self.key(number)) else { return }
            if Self.version(of: entry.bytes, number) == nil { throw Wrong(number: number) }
        }
    }

    /// Says for each number on the standard input what is stored under its key, after a look for one that never is.
    func answer() async -> Bool {
        var misses = 0
        do {
            _ = await cache.totalBytes
            say("ready")
            while let line = readLine() {
                guard let number = Int(line) else { break }
                misses += 1
                if try await cache.entry(for: CacheKey("https://example.com/never \(misses)")) != nil { return false }
                let entry = try await cache.entry(for: Self.key(number))
                guard let entry else {
                    say("missing \(number)")
                    continue
                }
                guard let version = Self.version(of: entry.bytes, number) else { throw Wrong(number: number) }
                say("found \(number) \(version)")
            }
        } catch {
            say("error \(error)")
            return false
        }
        say("misses \(misses)")
        return true
    }

    /// Does the same until the time is over.
    func repeatedly(_ body: (DiskCache) async throws -> Void) async -> Bool {
        do {
            while end > .now { try await body(cache) }
        } catch {
            say("error \(error)")
            return false
        }
        _ = await cache.shutdown(within: .seconds(10))
        return true
    }

    /// Reads every key once, and prints what is there and what the cache says of the folder.
    func check() async -> Bool {
        do {
            let clock = ContinuousClock()
            let first = try await clock.measure { _ = try await cache.entry(for: Self.key(0)) }
            say("first \(first / .microseconds(1))")
            for number in 0..<Self.keyCount {
                guard let entry = try await cache.entry(for: Self.key(number)) else { continue }
                guard let version = Self.version(of: entry.bytes, number) else { throw Wrong(number: number) }
                say("has \(number) \(version)")
            }
            let total = await cache.totalBytes
            say("listed \(clock.now - (end - .seconds(options.seconds)))")
            say("total \(total)")
            say("damaged \(await cache.statistics.damagedEntries)")
            _ = await cache.shutdown(within: .seconds(10))
            return true
        } catch {
            say("error \(error)")
            return false
        }
    }

    private struct Wrong: Error {
        let number: Int
    }

    private static func key(_ number: Int) -> CacheKey { CacheKey("https://example.com/\(number)") }

    private static func body(_ number: Int, _ version: UInt64) -> [UInt8] {
        let size = 1_000 + Int((UInt64(number) &* 7_919 &+ version &* 104_729) % 20_000)
        return unsafe [UInt8](unsafeUninitializedCapacity: 16 + size) { buffer, filled in
            for place in 0..<8 {
                unsafe buffer[place] = UInt8(truncatingIfNeeded: number >> (8 * place))
                unsafe buffer[8 + place] = UInt8(truncatingIfNeeded: version >> UInt64(8 * place))
            }
            for place in 16..<16 + size {
                unsafe buffer[place] = UInt8(
                    truncatingIfNeeded: UInt64(place) &* 31 &+ version &+ UInt64(number) &* 7)
            }
            filled = 16 + size
        }
    }

    /// The version of a body; `nil` when it is not what was stored for the key.
    private static func version(of bytes: [UInt8], _ number: Int) -> UInt64? {
        guard bytes.count > 16 else { return nil }
        let version = bytes[8..<16].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        return bytes == body(number, version) ? version : nil
    }
}
