// SPDX-License-Identifier: MIT
/// What this process knows about the files in a cache folder: sizes and times.
///
/// Advisory: only its file says whether an entry exists.
struct DiskIndex {
    /// One entry's file.
    struct Record: Equatable {
        /// The highest size that fits, in bytes: a sparse file may claim any size.
        static let maximumByteCount = (1 << 40) - 1

        /// The size of the file, in bytes.
        var size: Int
        /// Seconds since 1970.
        var storedAt: UInt32
        /// Seconds since 1970.
        ///
        /// The file has it, too, in larger steps.
        var usedAt: UInt32
        /// When the entry ends, in seconds since 1970, not 0; the highest number when that is unknown, or it has no end
        /// of its own.
        var keptUntil = UInt32.max
    }

    /// A record chosen for removal, as it was at that time.
    struct Victim: Equatable {
        var digest: KeyDigest
        var record: Record
    }

    /// The records by the folder of their file.
    ///
    /// A folder is listed as a whole, so its records are replaced as a whole. A growing table is copied in parts of a
    /// 256th. A copy of all tables costs nothing until one of them changes, and then that table.
    private(set) var folders = Self.emptyFolders
    private static let emptyFolders = (0..<256).map { IndexTable(folder: $0) }

    /// The sum of the sizes of all files known.
    private(set) var totalBytes = 0

    /// The number of files known.
    private(set) var count = 0

    /// How often a record was set, used or removed, beyond what a listing or a snapshot says.
    private(set) var changes = 0

    subscript(digest: KeyDigest) -> Record? { folders[digest.folderNumber][digest] }

    /// Notes a file, in place of what was known about it.
    ///
    /// - Complexity: O(1).
    mutating func set(
        _ digest: KeyDigest, size: Int, storedAt: Int64, usedAt: Int64, keptUntil: Int64? = nil
    ) {
        let record = Record(
            size: min(max(0, size), Record.maximumByteCount), storedAt: UInt32(clamping: storedAt),
            usedAt: UInt32(clamping: usedAt), keptUntil: Self.end(keptUntil))
        changes &+= 1
        change(digest.folderNumber) { $0.set(record, for: digest) }
    }

    /// Notes a use.
    ///
    /// - Complexity: O(1).
    mutating func touch(_ digest: KeyDigest, at time: Int64, keptUntil: Int64?) {
        changes &+= 1
        folders[digest.folderNumber].update(digest) { record in
            record.usedAt = UInt32(clamping: time)
            if keptUntil != nil { record.keptUntil = Self.end(keptUntil) }
        }
    }

    /// Forgets a file.
    ///
    /// - Complexity: O(1).
    mutating func remove(_ digest: KeyDigest) {
        changes &+= 1
        change(digest.folderNumber) { $0.remove(digest) }
    }

    /// Notes the files of one folder, and forgets those that are not among them.
    ///
    /// - Parameters:
    ///   - listed: The files. Their dates count as the time they were stored at.
    ///   - changed: Digests for which the listing may be wrong; their records stay.
    /// - Complexity: O(number of files in the folder).
    mutating func replace(folder number: Int, with listed: [EntryFiles.Listed], except changed: Set<KeyDigest>) {
        var table = IndexTable(folder: number, room: listed.count)
        let known = folders[number]
        for file in listed {
            let earlier = known[file.digest]
            let usedAt = max(file.modifiedAt, file.usedAt, Int64(earlier?.usedAt ?? 0))
            var record = Record(
                size: file.size, storedAt: UInt32(clamping: file.modifiedAt),
                usedAt: UInt32(clamping: usedAt))
            // The same file: its end is known only to those who have written or read it.
            if let earlier, earlier.storedAt == record.storedAt { record.keptUntil = earlier.keptUntil }
            table.set(record, for: file.digest)
        }
        adopt(table, except: changed)
    }

    /// Forgets the files of every folder that is not among these.
    ///
    /// - Parameters:
    ///   - names: Of the folders that are there.
    ///   - changed: Digests whose records stay.
    mutating func forgetFolders(except names: [String], changed: Set<KeyDigest>) {
        let present = Set(names.map { Int($0, radix: 16) })
        for number in folders.indices where folders[number].count > 0 && !present.contains(number) {
            replace(folder: number, with: [], except: changed)
        }
    }

    /// Puts a table in the place of one folder's.
    ///
    /// - Parameter changed: Digests whose records stay, or stay away.
    /// - Complexity: O(number of digests changed).
    mutating func adopt(_ table: consuming IndexTable, except changed: Set<KeyDigest>) {
        let number = table.folder
        for digest in changed where digest.folderNumber == number {
            if let own = folders[number][digest] { table.set(own, for: digest) } else { table.remove(digest) }
        }
        let adopted = table
        change(number) { $0 = adopted }
    }

    /// Changes a table, and with it the sums.
    private mutating func change(_ number: Int, _ body: (inout IndexTable) -> Void) {
        totalBytes -= folders[number].totalBytes
        count -= folders[number].count
        body(&folders[number])
        totalBytes += folders[number].totalBytes
        count += folders[number].count
    }

    private static func end(_ time: Int64?) -> UInt32 { time.map { max(1, UInt32(clamping: $0)) } ?? .max }

    /// Files of one folder that are too old or dated in the future, in no particular order.
    ///
    /// - Complexity: O(number of files in the folder).
    func expired(folder number: Int, _ lifetime: Lifetime) -> [Victim] {
        folders[number].filter { !lifetime.covers($0.value) }.map { Victim(digest: $0.key, record: $0.value) }
    }
}

extension Lifetime {
    /// Whether a file counts.
    func covers(_ record: DiskIndex.Record) -> Bool {
        let keptUntil = record.keptUntil == .max ? nil : Int64(record.keptUntil)
        return covers(storedAt: Int64(record.storedAt), usedAt: Int64(record.usedAt), keptUntil: keptUntil)
    }
}
