/// What this process knows about the files in a cache folder: sizes and times.
///
/// Advisory: whether an entry exists, only its file says.
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

    /// A record chosen to go, as it was when it was chosen.
    struct Victim: Equatable {
        var digest: KeyDigest
        var record: Record
    }

    private(set) var records: [KeyDigest: Record] = [:]

    /// The sum of the sizes of all files known.
    private(set) var totalBytes = 0

    /// The number of files known.
    var count: Int { records.count }

    subscript(digest: KeyDigest) -> Record? { records[digest] }

    /// Notes a file, in place of what was known about it.
    ///
    /// - Complexity: O(1).
    mutating func set(_ digest: KeyDigest, size: Int, storedAt: Int64, usedAt: Int64) {
        let record = Record(size: size, storedAt: UInt32(clamping: storedAt), usedAt: UInt32(clamping: usedAt))
        let previous = records.updateValue(record, forKey: digest)
        totalBytes += size - (previous?.size ?? 0)
    }

    /// Notes a use.
    ///
    /// - Complexity: O(1).
    mutating func touch(_ digest: KeyDigest, at time: Int64) {
        records[digest]?.usedAt = UInt32(clamping: time)
    }

    /// Forgets a file.
    ///
    /// - Complexity: O(1).
    mutating func remove(_ digest: KeyDigest) {
        guard let record = records.removeValue(forKey: digest) else { return }
        totalBytes -= record.size
    }

    /// Files stored at or before a time, in no order.
    ///
    /// - Complexity: O(n).
    func storedAtOrBefore(_ time: Int64) -> [Victim] {
        records.lazy.filter { Int64($0.value.storedAt) <= time }.map { Victim(digest: $0.key, record: $0.value) }
    }
}
