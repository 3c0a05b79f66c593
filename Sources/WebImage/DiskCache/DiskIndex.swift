// SPDX-License-Identifier: MIT
/// What this process knows about the files in a cache folder: sizes and times.
///
/// Advisory: only its file says whether an entry exists. What the index does not have is missing while the
/// ``FolderAccount`` says that no other cache stores. An entry costs about 84 bytes.
struct DiskIndex: Sendable {
    /// One entry's file.
    struct Record: Equatable {
        /// The highest size that fits, in bytes: a sparse file may claim any size.
        static let maximumByteCount = (1 << 40) - 1
        /// The end of an entry that has none of its own.
        static let noEnd = UInt32.max - 1

        /// The size of the file, in bytes.
        var size: Int
        /// Seconds since 1970.
        var storedAt: UInt32
        /// Seconds since 1970.
        ///
        /// The file has it, too, in larger steps.
        var usedAt: UInt32
        /// When the entry ends, in seconds since 1970; ``noEnd`` when it has no end of its own, and the highest number
        /// when that is unknown.
        var keptUntil = UInt32.max
        /// The code of the entry's own age; 0 when that is unknown, or it has none.
        var age: UInt32 = 0

        /// Notes a use, and when the entry ends by itself.
        mutating func note(_ metadata: EntryMetadata, usedAt time: Int64) {
            usedAt = UInt32(clamping: time)
            keptUntil = metadata.keptUntil.map { min(UInt32(clamping: $0), Self.noEnd) } ?? Self.noEnd
            age = metadata.age.map { UInt32(clamping: $0.code) } ?? 0
        }
    }

    /// A record chosen for removal, as it was at that time.
    struct Victim: Equatable {
        var digest: KeyDigest
        var record: Record
    }

    /// The records by the folder of their file.
    ///
    /// A folder is listed as a whole, so its records are replaced as a whole. A copy of the index costs nothing until
    /// one of the two changes, and then a 256th.
    private(set) var folders = [[KeyDigest: Record]](repeating: [:], count: 256)

    /// The sum of the sizes of all files known.
    private(set) var totalBytes = 0

    /// The number of files known.
    private(set) var count = 0

    subscript(digest: KeyDigest) -> Record? { folders[digest.folderNumber][digest] }

    /// Notes a file, in place of what was known about it.
    ///
    /// - Parameter metadata: What says when the entry ends; `nil` when that is unknown.
    /// - Complexity: O(1).
    mutating func set(
        _ digest: KeyDigest, size: Int, storedAt: Int64, usedAt: Int64, _ metadata: EntryMetadata? = nil
    ) {
        var record = Record(
            size: min(max(0, size), Record.maximumByteCount), storedAt: UInt32(clamping: storedAt),
            usedAt: UInt32(clamping: usedAt))
        if let metadata { record.note(metadata, usedAt: usedAt) }
        count(record, insteadOf: folders[digest.folderNumber].updateValue(record, forKey: digest))
    }

    /// Notes a use.
    ///
    /// - Complexity: O(1).
    mutating func touch(_ digest: KeyDigest, at time: Int64, _ metadata: EntryMetadata) {
        folders[digest.folderNumber][digest]?.note(metadata, usedAt: time)
    }

    /// Forgets a file.
    ///
    /// - Complexity: O(1).
    mutating func remove(_ digest: KeyDigest) {
        count(nil, insteadOf: folders[digest.folderNumber].removeValue(forKey: digest))
    }

    /// Notes the files of one folder, and forgets those that are not among them.
    ///
    /// - Parameters:
    ///   - listed: The files. Their dates count as the time they were stored at.
    ///   - changed: Digests for which the listing may be wrong; their records stay.
    /// - Complexity: O(number of files in the folder).
    mutating func replace(folder number: Int, with listed: [EntryFiles.Listed], except changed: Set<KeyDigest>) {
        let known = folders[number]
        var records: [KeyDigest: Record] = [:]
        records.reserveCapacity(listed.count)
        for file in listed {
            let earlier = known[file.digest]
            let usedAt = max(file.modifiedAt, file.usedAt, Int64(earlier?.usedAt ?? 0))
            var record = Record(
                size: file.size, storedAt: UInt32(clamping: file.modifiedAt),
                usedAt: UInt32(clamping: usedAt))
            // The same file: its end is known only to those who have written or read it.
            if let earlier, earlier.storedAt == record.storedAt {
                (record.keptUntil, record.age) = (earlier.keptUntil, earlier.age)
            }
            records[file.digest] = record
        }
        for digest in changed where digest.folderNumber == number { records[digest] = known[digest] }
        for record in known.values { count(nil, insteadOf: record) }
        for record in records.values { count(record, insteadOf: nil) }
        folders[number] = records
    }

    /// Forgets the files of every folder that is not among these.
    ///
    /// - Parameters:
    ///   - names: Of the folders that are there.
    ///   - changed: Digests whose records stay.
    mutating func forgetFolders(except names: [String], changed: Set<KeyDigest>) {
        let present = Set(names.map { Int($0, radix: 16) })
        for number in folders.indices where !folders[number].isEmpty && !present.contains(number) {
            replace(folder: number, with: [], except: changed)
        }
    }

    /// Keeps the sums when a record takes the place of another.
    private mutating func count(_ new: Record?, insteadOf old: Record?) {
        totalBytes += (new?.size ?? 0) - (old?.size ?? 0)
        count += (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
    }

    /// Files of one folder that are too old or dated in the future, in no particular order.
    ///
    /// - Complexity: O(number of files in the folder).
    func expired(folder number: Int, _ lifetime: Lifetime) -> [Victim] {
        folders[number].filter { !lifetime.covers($0.value) }.map { Victim(digest: $0.key, record: $0.value) }
    }

    /// The files least worth their space, worst first: by time since the last use times size.
    ///
    /// A picture that is twice as large must have been used within half the time. The added half kilobyte is the
    /// overhead of a file.
    ///
    /// - Parameters:
    ///   - byteCount: The files end when they free this much.
    ///   - limit: The most files.
    ///   - now: Seconds since 1970.
    ///   - lifetime: Files that are known to be outside it go first.
    /// - Complexity: O(n) for the index while its order is random, and O(n log `limit`) at most: whenever twice as many
    ///   as wanted are collected, the better half goes, and files as good are passed over from then on.
    /// - Source: Chromium, `net/disk_cache/simple/simple_index.cc`, the score of `StartEvictionIfNeeded`.
    func victims(toFree byteCount: Int, limit: Int, now: Int64, lifetime: Lifetime) -> [Victim] {
        guard byteCount > 0, limit > 0 else { return [] }
        var worst: [(score: Double, victim: Victim)] = []
        var least = -Double.infinity
        func cut() {
            worst.sort { one, other in
                // Equal scores are ordered by digest, so that equal caches trim equally.
                (other.score, one.victim.digest.high, one.victim.digest.low)
                    < (one.score, other.victim.digest.high, other.victim.digest.low)
            }
            var (freed, kept) = (0, 0)
            while kept < min(limit, worst.count), freed < byteCount {
                freed += worst[kept].victim.record.size
                kept += 1
            }
            // Fewer than wanted may be enough; then no better file is needed.
            if freed >= byteCount || kept == limit { least = worst[kept - 1].score }
            worst.removeLast(worst.count - kept)
        }
        for folder in folders {
            for (digest, record) in folder {
                let score = Self.score(record, now, lifetime)
                guard score >= least else { continue }
                worst.append((score, Victim(digest: digest, record: record)))
                if worst.count >= 2 * limit { cut() }
            }
        }
        cut()
        return worst.map(\.victim)
    }

    private static func score(_ record: Record, _ now: Int64, _ lifetime: Lifetime) -> Double {
        // After a listing the ages of entries are unknown, and some live longer than others.
        if record.keptUntil != .max, !lifetime.covers(record) { return .greatestFiniteMagnitude }
        // A use in the future, noted by a clock that was ahead, counts like one as long ago.
        return max(1, abs(Double(now) - Double(record.usedAt))) * (Double(record.size) + 512)
    }
}

extension Lifetime {
    /// Whether a file counts.
    func covers(_ record: DiskIndex.Record) -> Bool {
        let keptUntil = record.keptUntil < DiskIndex.Record.noEnd ? Int64(record.keptUntil) : nil
        let rule = record.age == 0 ? self : own(CacheAge(code: Int64(record.age)))
        return rule.covers(storedAt: Int64(record.storedAt), usedAt: Int64(record.usedAt), keptUntil: keptUntil)
    }
}
