// SPDX-License-Identifier: MIT
/// The index as a file, so that a restart does not forget what was used.
///
/// An entry's file says when it was stored, and in steps of hours when it was used. A cache that only lists its folder
/// therefore starts with a coarse order of use, and knows nothing before the listing, which takes seconds for a million
/// files.
///
/// *Saved* after each sweep and at a shutdown, when at least one in 256 of the entries has changed since. The actor
/// hands over a copy of its tables, which share their memory with the index; threads write them part by part, under
/// another name, and rename the file at the end. Uses that the earlier snapshot knows better, because another process
/// has saved it, are taken over.
///
/// *Loaded* when a cache begins, before it lists its folder. It goes before the listing and never replaces it: the
/// listing corrects sizes, adds the entries that the snapshot does not have, and forgets those whose file is gone. A
/// hit waits for neither.
///
/// *Untrusted*, like everything in the folder. A file of another version, of a length that does not follow from its
/// header, from the future or older than the oldest entry may be is no snapshot. A part whose checksum is wrong is left
/// out. What a forged one says is limited to sizes and times of entries, as what the files themselves say.
///
/// | bytes | field |
/// |---|---|
/// | 4 | magic `SWIX` |
/// | 2 | version |
/// | 2 | reserved, zero |
/// | 8 | when it was saved, in seconds since 1970 |
/// | 1024 | the number of records of each of the 256 folders, 4 bytes each |
/// | 8 | checksum of the bytes before |
///
/// Sixteen parts follow, each for sixteen folders: their records, 32 bytes each as in ``IndexTable``, and a checksum of
/// 8 bytes, seeded with the header's plus the number of the part. Numbers are little-endian.
struct IndexSnapshot: Sendable {
    static let version: UInt16 = 1
    static let partCount = 16
    static let recordLength = 32
    static let headerLength = 16 + 4 * 256 + 8
    private static let magic: UInt32 = 0x5849_5753

    /// Seconds since 1970.
    let savedAt: Int64
    /// The number of records, by folder.
    private let counts: [UInt32]
    private let checksum: UInt64

    /// The first bytes of the file.
    let header: [UInt8]

    /// Creates the snapshot of all folders.
    init(of folders: [IndexTable], savedAt time: Int64) {
        savedAt = time
        counts = folders.map { UInt32(clamping: $0.count) }
        var bytes: [UInt8] = []
        bytes.append(littleEndian: Self.magic)
        bytes.append(littleEndian: Self.version)
        bytes.append(littleEndian: UInt16(0))
        bytes.append(littleEndian: UInt64(bitPattern: time))
        for count in counts { bytes.append(littleEndian: count) }
        checksum = Checksum.of(bytes)
        bytes.append(littleEndian: checksum)
        header = bytes
    }

    /// Reads a header.
    ///
    /// - Returns: `nil` when the bytes are no header of this version, or do not lead to the length of the file.
    init?(header bytes: [UInt8], fileSize: Int) {
        var reader = ByteReader(bytes[...])
        guard reader.integer(UInt32.self) == Self.magic, reader.integer(UInt16.self) == Self.version,
            reader.integer(UInt16.self) == 0, let time = reader.integer(UInt64.self)
        else { return nil }
        savedAt = Int64(bitPattern: time)
        counts = (0..<256).compactMap { _ in reader.integer(UInt32.self) }
        guard let sum = reader.integer(UInt64.self), reader.isAtEnd, sum == Checksum.of(bytes.dropLast(8)) else {
            return nil
        }
        (checksum, header) = (sum, bytes)
        guard (0..<Self.partCount).reduce(bytes.count, { $0 + length(ofPart: $1) }) == fileSize else { return nil }
    }

    /// The length of a part with its checksum.
    func length(ofPart number: Int) -> Int {
        Self.folders(ofPart: number).reduce(8) { $0 + Int(counts[$1]) * Self.recordLength }
    }

    /// The bytes of a part.
    ///
    /// - Parameter folders: All tables, as many files in each as when the snapshot was made.
    func bytes(ofPart number: Int, of folders: [IndexTable]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length(ofPart: number))
        for folder in Self.folders(ofPart: number) {
            for place in folders[folder].places where !place.isFree {
                unsafe withUnsafeBytes(of: place) { unsafe bytes.append(contentsOf: $0) }
            }
        }
        bytes.append(littleEndian: sum(ofPart: number, bytes[...]))
        return bytes
    }

    /// The tables of a part; none when its checksum is wrong.
    func tables(ofPart number: Int, _ bytes: [UInt8]) -> [IndexTable] {
        var end = ByteReader(bytes.suffix(8))
        guard bytes.count == length(ofPart: number), end.integer(UInt64.self) == sum(ofPart: number, bytes.dropLast(8))
        else { return [] }
        var offset = 0
        return Self.folders(ofPart: number).map { folder in
            let count = Int(counts[folder])
            var table = IndexTable(folder: folder, room: count)
            for _ in 0..<count {
                // A record is numbers alone, and within the bytes, whose count has been compared.
                var place = unsafe bytes.withUnsafeBytes {
                    unsafe $0.loadUnaligned(fromByteOffset: offset, as: IndexTable.Place.self)
                }
                offset += Self.recordLength
                // A use later than the snapshot was noted by a wrong clock.
                if Int64(place.usedAt) > savedAt { place.usedAt = place.storedAt }
                if !place.isFree { table.set(place.record, for: table.digest(of: place)) }
            }
            return table
        }
    }

    private func sum(ofPart number: Int, _ bytes: ArraySlice<UInt8>) -> UInt64 {
        Checksum.of(bytes, seed: checksum &+ UInt64(number))
    }

    private static func folders(ofPart number: Int) -> Range<Int> {
        let length = 256 / partCount
        return number * length..<(number + 1) * length
    }
}
