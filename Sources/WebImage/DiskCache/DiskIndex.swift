// SPDX-License-Identifier: MIT
/// What this process knows about the files in a cache folder: sizes and times.
///
/// Advisory: only its file says whether an entry exists.
struct DiskIndex {
    /// One entry's file.
    struct Record: Equatable {
        /// The size of the file, in bytes.
        var size: Int
        /// Seconds since 1970.
        var storedAt: UInt32
        /// Seconds since 1970.
        ///
        /// The file has it, too, in larger steps.
        var usedAt: UInt32
        /// When the entry ends, in seconds since 1970; the highest number when that is unknown, or it has no end of its
        /// own.
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
    /// 256th.
    private(set) var folders = [[KeyDigest: Record]](repeating: [:], count: 256)

    /// The sum of the sizes of all files known.
    private(set) var totalBytes = 0

    /// The number of files known.
    private(set) var count = 0

    subscript(digest: KeyDigest) -> Record? { folders[digest.folderNumber][digest] }

    /// Notes a file, in place of what was known about it.
    ///
    /// - Complexity: O(1).
    mutating func set(
        _ digest: KeyDigest, size: Int, storedAt: Int64, usedAt: Int64, keptUntil: Int64? = nil
    ) {
        let record = Record(
            size: size, storedAt: UInt32(clamping: storedAt), usedAt: UInt32(clamping: usedAt),
            keptUntil: keptUntil.map { UInt32(clamping: $0) } ?? .max)
        let previous = folders[digest.folderNumber].updateValue(record, forKey: digest)
        totalBytes += size - (previous?.size ?? 0)
        if previous == nil { count += 1 }
    }

    /// Notes a use.
    ///
    /// - Complexity: O(1).
    mutating func touch(_ digest: KeyDigest, at time: Int64, keptUntil: Int64?) {
        folders[digest.folderNumber][digest]?.usedAt = UInt32(clamping: time)
        guard let keptUntil else { return }
        folders[digest.folderNumber][digest]?.keptUntil = UInt32(clamping: keptUntil)
    }

    /// Forgets a file.
    ///
    /// - Complexity: O(1).
    mutating func remove(_ digest: KeyDigest) {
        guard let record = folders[digest.folderNumber].removeValue(forKey: digest) else { return }
        totalBytes -= record.size
        count -= 1
    }

    /// Notes the files of one folder, and forgets those that are not among them.
    ///
    /// - Parameters:
    ///   - listed: The files. Their dates count as the time they were stored at.
    ///   - changed: Digests for which the listing may be wrong; their records stay.
    /// - Complexity: O(number of files in the folder).
    mutating func replace(folder number: Int, with listed: [EntryFiles.Listed], except changed: Set<KeyDigest>) {
        let present = Set(listed.lazy.map(\.digest))
        for digest in folders[number].keys where !present.contains(digest) && !changed.contains(digest) {
            remove(digest)
        }
        for file in listed where !changed.contains(file.digest) {
            let known = self[file.digest]
            let usedAt = max(file.modifiedAt, file.usedAt, Int64(known?.usedAt ?? 0))
            set(file.digest, size: file.size, storedAt: file.modifiedAt, usedAt: usedAt)
            // The same file: its end is known only to those who have written or read it.
            guard let known, Int64(known.storedAt) == file.modifiedAt else { continue }
            folders[number][file.digest]?.keptUntil = known.keptUntil
        }
    }

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
