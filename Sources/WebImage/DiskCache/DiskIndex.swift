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
        /// Known to this process only; never written to disk.
        var usedAt: UInt32
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
    mutating func set(_ digest: KeyDigest, size: Int, storedAt: Int64, usedAt: Int64) {
        let record = Record(size: size, storedAt: UInt32(clamping: storedAt), usedAt: UInt32(clamping: usedAt))
        let previous = folders[digest.folderNumber].updateValue(record, forKey: digest)
        totalBytes += size - (previous?.size ?? 0)
        if previous == nil { count += 1 }
    }

    /// Notes a use.
    ///
    /// - Complexity: O(1).
    mutating func touch(_ digest: KeyDigest, at time: Int64) {
        folders[digest.folderNumber][digest]?.usedAt = UInt32(clamping: time)
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
            let usedAt = max(file.modifiedAt, Int64(self[file.digest]?.usedAt ?? 0))
            set(file.digest, size: file.size, storedAt: file.modifiedAt, usedAt: usedAt)
        }
    }

    /// Files that are too old or dated in the future, in no particular order.
    ///
    /// - Complexity: O(n).
    func expired(_ lifetime: Lifetime) -> [Victim] {
        folders.lazy.joined().filter { !lifetime.covers(Int64($0.value.storedAt)) }
            .map { Victim(digest: $0.key, record: $0.value) }
    }
}
