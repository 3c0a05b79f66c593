// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.replayed) struct EntryCostTests {
    /// What a client and an origin decide about an entry.
    struct Sort: Sendable {
        var path = 60
        var fields = 8
        var fieldLength = 40
        var bytes = 500
        var isVariant = false
        var isPicture = false
    }

    /// A text as it arrives: without room for more.
    private static func text(_ text: String) -> String { String(decoding: Array(text.utf8), as: UTF8.self) }

    /// Stores an entry as a load does.
    static func remember(_ number: Int, _ sort: Sort, in writer: CacheWriter) throws {
        let padding = String(repeating: "p", count: sort.path)
        var request = ImageRequest(URL(string: text("http://a.example/\(number)/\(padding)"))!)
        if sort.isVariant { request.transformers = [.resize(to: PixelSize(width: 20, height: 20))] }
        var headers = HTTPHeaders()
        let value = String(repeating: "v", count: sort.fieldLength) + "\(number)"
        for field in 0..<sort.fields {
            headers.append(name: text("X-A-Long-Name-Of-A-Field-\(field)"), value: text(value))
        }
        let origin = OriginResponse(url: request.url, status: 200, headers: headers)
        let (view, key): (CachedPicture, MemoryKey)
        if sort.isPicture {
            let side = max(1, Int(Double(sort.bytes / 4).squareRoot()))
            let pixels = [UInt8](repeating: 1, count: side * side * 4)
            let image = try DecodedImage(width: side, height: side, frames: [.init(pixels: pixels)], hasAlpha: false)
            view = .decoded(Shared(.init(image: image, format: .png, origin: origin)))
            key = .picture(request.variantKey)
        } else {
            let bytes = [UInt8](repeating: 1, count: sort.bytes)
            view = .encoded(
                Shared(
                    EncodedImage(
                        bytes: bytes, format: .png, width: 1, height: 1, frameCount: 1, source: .memory, origin: origin)
                ))
            key = .file(request.fileKey(sort.isVariant ? .png : .original))
        }
        writer.remember(view, as: key, of: request.originalKey)
    }

    @Test(.enabled(if: hasSystemAllocator))
    func `the cost of entries is what the allocator gives for them, within a fifth`() async {
        await #expect(processExitsWith: .success) {
            for sort in [
                Sort(), Sort(bytes: 69), Sort(path: 6_000, fields: 10, fieldLength: 550, bytes: 69),
                Sort(path: 60, fields: 100, fieldLength: 550, bytes: 69), Sort(bytes: 20_000), Sort(isVariant: true),
                Sort(path: 6_000, fields: 3, bytes: 200, isVariant: true), Sort(bytes: 4_000, isPicture: true),
                Sort(bytes: 4_000, isVariant: true, isPicture: true),
            ] {
                for limit in [Int.max, 1_300_000] {
                    let limits = MemoryLimits(maximumCost: limit == .max ? 0 : limit, maximumCount: 0)
                    let (caches, given) = try heapGrowth {
                        let caches = ImageCaches(memory: limits, disk: nil, executor: nil)
                        let writer = CacheWriter(caches, ContentOrder())
                        for number in 0..<1_000 { try EntryCostTests.remember(number, sort, in: writer) }
                        return caches
                    }
                    let counted = caches.memory.statistics.cost
                    expect(abs(given - counted) * 5, <=, given, "\(sort), \(limit): \(counted) for \(given)")
                }
            }
        }
    }

    @Test(arguments: Seeds.first(20)) func `the cost is the sum of the entries, and the index has their names alone`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let caches = ImageCaches(memory: .init(maximumCost: 60_000, maximumCount: 30), disk: nil, executor: nil)
        let writer = CacheWriter(caches, ContentOrder())
        var keys: Set<MemoryKey> = []
        for _ in 0..<400 {
            let number = Int.random(in: 0..<40, using: &random)
            var request = ImageRequest(URL(string: "http://a.example/\(number)")!)
            let original = request.originalKey
            if Bool.random(using: &random) { request.transformers = [.resize(to: PixelSize(width: 20, height: 20))] }
            let key = MemoryKey.file(request.fileKey(.png))
            keys.insert(key)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: writer.forget(original)
            case 1: caches.memory.remove(key)
            case 2: writer.forgetOthers(than: ContentGeneration(rawValue: 1), number: 0, of: original)
            default:
                let count = Int.random(in: 0..<9_000, using: &random)
                var file = EncodedImage(
                    bytes: .init(repeating: 0, count: count), format: .png, width: 1, height: 1, frameCount: 1,
                    source: .memory)
                file.generation = ContentGeneration(rawValue: UInt64.random(in: 1...2, using: &random))
                writer.remember(.encoded(Shared(file)), as: key, of: original)
            }
            let held = keys.filter { caches.memory.contains($0) }
            let cost = held.reduce(0) { sum, key in sum + (caches.memory.value(for: key)?.cost(for: key) ?? 0) }
            expectEqual(cost, caches.memory.statistics.cost)
            expectEqual(caches.variants.count, held.count { !$0.name.isOriginal })
            for key in held where !key.name.isOriginal { expect(caches.views(of: key.name.original).contains(key)) }
        }
    }
}
