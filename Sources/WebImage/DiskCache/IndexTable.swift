// SPDX-License-Identifier: MIT
/// What is known about the files of one of the 256 folders: a hash table with 32 bytes for each file.
///
/// Between half and seven eighths of the places are taken, so a file costs 37 to 64 bytes; in a dictionary it cost 84.
/// Copies share their places until one of them changes.
///
/// A place holds, in this order, and so does the file of ``IndexSnapshot``:
///
/// | bytes | field |
/// |---|---|
/// | 8 | first half of the digest, but for its last byte: that is the number of the folder, and in its stead stand the highest eight bits of the size |
/// | 8 | second half of the digest |
/// | 4 | the other 32 bits of the size |
/// | 4 | when the file was stored, in seconds since 1970, as the two that follow |
/// | 4 | when it was used last |
/// | 4 | when the entry ends; 0 in a free place |
struct IndexTable: Sequence {
    /// A place for one file.
    struct Place {
        var high: UInt64 = 0
        var low: UInt64 = 0
        var size: UInt32 = 0
        var storedAt: UInt32 = 0
        var usedAt: UInt32 = 0
        var keptUntil: UInt32 = 0

        var isFree: Bool { keptUntil == 0 }
    }

    /// The number of the folder.
    let folder: Int
    /// A place is found by linear search from the one that its digest stands for.
    private(set) var places: [Place] = []
    /// The number of files.
    private(set) var count = 0
    /// The sum of the sizes of the files.
    private(set) var totalBytes = 0

    /// Creates a table with room for so many files.
    init(folder: Int, room: Int = 0) {
        self.folder = folder
        if room > 0 { places = [Place](repeating: Place(), count: Self.length(for: room)) }
    }

    /// The digest of a file of this folder.
    func digest(of place: Place) -> KeyDigest {
        KeyDigest(high: Place.name(place.high) | UInt64(folder), low: place.low)
    }

    /// Each file with its digest, in no particular order.
    func makeIterator() -> Iterator { Iterator(folder: UInt64(folder), places: places.makeIterator()) }

    struct Iterator: IteratorProtocol {
        let folder: UInt64
        var places: [Place].Iterator

        mutating func next() -> (key: KeyDigest, value: DiskIndex.Record)? {
            while let place = places.next() {
                guard !place.isFree else { continue }
                return (KeyDigest(high: Place.name(place.high) | folder, low: place.low), place.record)
            }
            return nil
        }
    }

    subscript(digest: KeyDigest) -> DiskIndex.Record? {
        guard let number = find(digest), !places[number].isFree else { return nil }
        return places[number].record
    }

    /// - Complexity: O(1).
    mutating func set(_ record: DiskIndex.Record, for digest: KeyDigest) {
        if (count + 1) * 8 > places.count * 7 { resize(for: count + 1) }
        guard let number = find(digest) else { return }
        if places[number].isFree { count += 1 } else { totalBytes -= places[number].record.size }
        places[number] = Place(digest, record)
        totalBytes += record.size
    }

    /// Changes the times of a file, if it is known.
    ///
    /// - Complexity: O(1).
    mutating func update(_ digest: KeyDigest, _ change: (inout DiskIndex.Record) -> Void) {
        guard let number = find(digest), !places[number].isFree else { return }
        var record = places[number].record
        change(&record)
        places[number] = Place(digest, record)
    }

    /// - Complexity: O(1).
    mutating func remove(_ digest: KeyDigest) {
        guard var hole = find(digest), !places[hole].isFree else { return }
        totalBytes -= places[hole].record.size
        count -= 1
        // Files further on move back over the hole, unless they would come to stand before the place where their
        // search begins.
        var next = after(hole)
        while !places[next].isFree {
            let home = home(places[next].high, places[next].low)
            if distance(home, next) >= distance(hole, next) {
                places[hole] = places[next]
                hole = next
            }
            next = after(next)
        }
        places[hole] = Place()
        if places.count > 64, count * 2 < places.count { resize(for: count) }
    }

    private mutating func resize(for room: Int) {
        let taken = places.filter { !$0.isFree }
        places = [Place](repeating: Place(), count: Self.length(for: room))
        for place in taken {
            var number = home(place.high, place.low)
            while !places[number].isFree { number = after(number) }
            places[number] = place
        }
    }

    /// The length of a table that is two thirds full.
    private static func length(for room: Int) -> Int { room + room / 2 + 2 }

    // MARK: - Places

    /// The place of a digest, or the free one where it belongs; `nil` in a table without places.
    private func find(_ digest: KeyDigest) -> Int? {
        guard !places.isEmpty else { return nil }
        let high = Place.name(digest)
        var number = home(high, digest.low)
        while !places[number].isFree, Place.name(places[number].high) != high || places[number].low != digest.low {
            number = after(number)
        }
        return number
    }

    /// Random, so that names in the folder cannot be chosen to meet in one place.
    private static let seed = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))

    /// Where the search for a digest begins.
    private func home(_ high: UInt64, _ low: UInt64) -> Int {
        let product = (Place.name(high) ^ Self.seed.0).multipliedFullWidth(by: low ^ Self.seed.1)
        let mixed = product.high ^ product.low
        return Int(truncatingIfNeeded: mixed.multipliedFullWidth(by: UInt64(places.count)).high)
    }

    private func after(_ number: Int) -> Int { number + 1 == places.count ? 0 : number + 1 }

    /// How many places lie from one to another.
    private func distance(_ from: Int, _ to: Int) -> Int { to >= from ? to - from : to - from + places.count }
}

extension IndexTable.Place {
    init(_ digest: KeyDigest, _ record: DiskIndex.Record) {
        high = Self.name(digest) | UInt64(truncatingIfNeeded: record.size >> 32) & 0xFF
        low = digest.low
        size = UInt32(truncatingIfNeeded: record.size)
        (storedAt, usedAt, keptUntil) = (record.storedAt, record.usedAt, max(1, record.keptUntil))
    }

    var record: DiskIndex.Record {
        DiskIndex.Record(
            size: Int(high & 0xFF) << 32 | Int(size), storedAt: storedAt, usedAt: usedAt, keptUntil: keptUntil)
    }

    /// What the first half of a digest shares with no other in its folder.
    static func name(_ high: UInt64) -> UInt64 { high & ~0xFF }

    static func name(_ digest: KeyDigest) -> UInt64 { name(digest.high) }
}
