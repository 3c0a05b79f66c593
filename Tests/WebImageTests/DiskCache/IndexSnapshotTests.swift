// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// The file of the index, which may hold anything.
@Suite(.replayed)
struct IndexSnapshotTests {
    private let folder: TemporaryFolder
    private let files: EntryFiles
    private var path: String { folder.path + "/index" }
    private let lifetime = Lifetime(now: 1_000_000, maximumAge: .seconds(1_000))

    init() throws {
        folder = try TemporaryFolder(isInMemory: true)
        files = EntryFiles(folder: folder.path, isSynced: false)
    }

    /// Files in some of the folders.
    private static func tables(_ count: Int, seed: UInt64 = 1) -> [IndexTable] {
        var random = SeededGenerator(seed: seed)
        var tables = (0..<256).map { IndexTable(folder: $0) }
        for _ in 0..<count {
            let digest = KeyDigest(high: random.next(), low: random.next())
            let record = DiskIndex.Record(
                size: .random(in: 0...DiskIndex.Record.maximumByteCount, using: &random),
                storedAt: random.next(upTo: 900_000),
                usedAt: random.next(upTo: 1_000_000), keptUntil: 1 + random.next(upTo: .max - 1))
            tables[digest.folderNumber].set(record, for: digest)
        }
        return tables
    }

    private static func records(_ tables: [IndexTable]) -> [KeyDigest: DiskIndex.Record] {
        Dictionary(tables.joined().map { ($0.key, $0.value) }) { $1 }
    }

    private func save(_ tables: [IndexTable]) throws {
        var writer = try SnapshotWriter(files, tables, lifetime: lifetime, byteLimit: 1 << 30)
        while try !writer.advance() {}
    }

    /// What a snapshot says; `nil` when there is none.
    private func load(_ lifetime: Lifetime? = nil, byteLimit: Int = 1 << 30) -> [KeyDigest: DiskIndex.Record]? {
        guard var reader = SnapshotReader(files, lifetime: lifetime ?? self.lifetime, byteLimit: byteLimit) else {
            return nil
        }
        defer { reader.close() }
        var tables: [IndexTable] = []
        while let more = reader.nextMegabyte() { tables += more }
        return Self.records(tables)
    }

    @Test(arguments: [0, 1, 300, 40_000]) func `an index comes back as it was saved`(count: Int) throws {
        let tables = Self.tables(count)
        try save(tables)
        #expect(load() == Self.records(tables))
        #expect(try folder.read(path).count == 1_048 + 32 * count + 16 * 8)
        #expect(folder.unfinishedFiles.isEmpty)
        #expect(folder.openDescriptors.isEmpty)
    }

    @Test func `a damaged snapshot says nothing false, whichever byte is wrong and wherever it ends`() throws {
        let records = Self.records(Self.tables(5))
        try save(Self.tables(5))
        let bytes = try folder.read(path)
        // Where each part ends.
        let parts = (0..<16).map { last in
            1_048 + 8 * (last + 1) + 32 * records.keys.count { $0.folderNumber / 16 <= last }
        }
        #expect(parts.last == bytes.count)
        for place in bytes.indices {
            var damaged = bytes
            damaged[place] ^= UInt8(1 << (place % 8))
            try folder.write(damaged, to: path)
            if place < 1_048 {
                #expect(load() == nil, "byte \(place)")
            } else {
                let part = parts.firstIndex { place < $0 }
                #expect(load() == records.filter { $0.key.folderNumber / 16 != part }, "byte \(place)")
            }
            try folder.write(Array(bytes[..<place]), to: path)
            #expect(load() == nil, "cut at \(place)")
        }
        try folder.write(bytes + [0], to: path)
        #expect(load() == nil)
    }

    @Test func `a snapshot from the future, older than any entry or above the limit is none`() throws {
        try save(Self.tables(3))
        for (now, isRead) in [(999_940, true), (999_939, false), (1_000_999, true), (1_001_000, false)] {
            #expect((load(Lifetime(now: Int64(now), maximumAge: .seconds(1_000))) != nil) == isRead, "\(now)")
        }
        #expect(load(byteLimit: 1_048 + 3 * 32 + 128 - 1) == nil)
        var later = try folder.read(path)
        later[4] = 2
        try folder.write(later, to: path)
        #expect(load() == nil, "a later version")
    }

    @Test func `what a forged snapshot says is limited to what a record can hold`() throws {
        // Right sums over free places, equal digests, uses in the future and the largest sizes.
        var place = IndexTable.Place(high: .max, low: .max, size: .max, storedAt: 7, usedAt: .max, keptUntil: .max)
        var bytes = IndexSnapshot(of: Self.tables(0), savedAt: 1_000_000).header
        bytes.replaceSubrange(16 + 4 * 255..<16 + 4 * 256, with: [3, 0, 0, 0])
        let sum = Checksum.of(bytes.dropLast(8))
        bytes = Array(bytes.dropLast(8))
        bytes.append(littleEndian: sum)
        for part in 0..<UInt64(16) {
            var records: [UInt8] = []
            for number in 0..<(part == 15 ? 3 : 0) {
                place.keptUntil = number == 1 ? 0 : .max
                unsafe withUnsafeBytes(of: place) { unsafe records.append(contentsOf: $0) }
            }
            records.append(littleEndian: Checksum.of(records, seed: sum &+ part))
            bytes += records
        }
        try folder.write(bytes, to: path)
        let expected = DiskIndex.Record(size: DiskIndex.Record.maximumByteCount, storedAt: 7, usedAt: 7)
        #expect(load() == [KeyDigest(high: .max, low: .max): expected])
    }

    @Test func `uses that another process has saved are taken over, its other entries are not`() throws {
        var (own, others) = (Self.tables(50), Self.tables(50))
        let digests = own.joined().map(\.key).sorted { $0.high < $1.high }
        for (number, digest) in digests.enumerated() {
            let folder = digest.folderNumber
            own[folder].update(digest) { $0.usedAt = number.isMultiple(of: 2) ? 950_000 : 940_000 }
            others[folder].update(digest) { $0.usedAt = 945_000 }
            // Another file of the same name.
            if number < 5 { others[folder].update(digest) { $0.storedAt = 900_001 } }
        }
        let foreign = KeyDigest(high: 1, low: 1)
        others[1].set(.init(size: 1, storedAt: 1, usedAt: 1), for: foreign)
        try save(others)
        try save(own)
        let found = try #require(load())
        #expect(found[foreign] == nil)
        for (number, digest) in digests.enumerated() {
            let expected: UInt32 = number.isMultiple(of: 2) ? 950_000 : number < 5 ? 940_000 : 945_000
            #expect(found[digest]?.usedAt == expected, "\(number)")
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func next(upTo limit: UInt32) -> UInt32 { .random(in: 0...limit, using: &self) }
}
