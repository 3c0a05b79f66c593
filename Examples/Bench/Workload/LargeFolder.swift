// SPDX-License-Identifier: MIT
import CBenchBaselines
import Foundation
import WebImage

/// The folder of a disk cache with very many files.
///
/// Most of them are names of a few small files, which a listing cannot tell from entries. Some are real and large, so
/// that a trim takes them first.
struct LargeFolder {
    static let realCount = 6_000
    private static let namesOfOneFile = 50_000

    let entrySize = 20_000
    /// The number of entries.
    let total: Int
    private let scratch: ScratchFolder
    private let body: [UInt8]

    init(count: Int) throws {
        scratch = try ScratchFolder()
        total = count
        body = Noise.bytes(entrySize)
        let manager = FileManager.default
        for number in 0..<256 {
            try manager.createDirectory(
                atPath: scratch.path("cache/\(Self.hexadecimal(number, 2))"), withIntermediateDirectories: true)
        }
        var noise = Noise(seed: 5)
        for number in 0..<count - Self.realCount {
            let source = scratch.path("small-\(number / Self.namesOfOneFile)")
            if number % Self.namesOfOneFile == 0 { try Data([1, 2, 3]).write(to: URL(filePath: source)) }
            let (high, low) = (noise.next(), noise.next())
            let name = Self.hexadecimal(high, 16) + Self.hexadecimal(low, 16)
            let folder = Self.hexadecimal(high & 0xFF, 2)
            guard unsafe link(source, scratch.path("cache/\(folder)/\(name)")) == 0 else {
                throw Failure("a link could not be made: \(errno)")
            }
        }
    }

    func makeCache() -> DiskCache { DiskCache(.init(folder: scratch.path("cache"), maximumByteCount: 1 << 40)) }

    func key(_ number: Int) -> CacheKey { CacheKey("https://example.com/picture/\(number).jpeg") }

    /// Stores the entries that a trim removes, and as many files beside the cache.
    func storeRealEntries() async throws {
        let cache = makeCache()
        let entry = DiskEntry(metadata: EntryMetadata(url: "https://example.com/"), bytes: body)
        for number in 0..<Self.realCount {
            if let error = try await cache.store(entry, for: key(number)).error { throw error }
        }
        _ = await cache.shutdown(within: .zero)
        for number in 0..<Self.realCount {
            let path = scratch.path("plain-\(number)")
            guard unsafe bench_file_store(path + "~", path, body, body.count) else {
                throw Failure("could not write \(path)")
            }
        }
    }

    /// The time of 100 removals beside the cache, the median of thirty.
    func unlinkPlainFiles() throws -> (wall: Double, cpu: Double) {
        let timings = try (0..<30).map { slice in
            let (wall, cpu) = (bench_wall_seconds(), bench_cpu_seconds())
            for number in slice * 100..<slice * 100 + 100 {
                guard unsafe unlink(scratch.path("plain-\(number)")) == 0 else {
                    throw Failure("a plain file cannot be removed")
                }
            }
            return (wall: bench_wall_seconds() - wall, cpu: bench_cpu_seconds() - cpu)
        }
        return (median(timings.map(\.wall)), median(timings.map(\.cpu)))
    }

    func remove() { scratch.remove() }

    private static func hexadecimal(_ number: some BinaryInteger, _ digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: digits - text.count) + text
    }
}
