// SPDX-License-Identifier: MIT
internal import Synchronization

/// Reads the snapshot of a folder, some parts at a time, each time on a thread that may block.
///
/// ``close()`` must follow.
struct SnapshotReader: Sendable {
    private let files: EntryFiles
    private let descriptor: FileSystem.Descriptor
    private let snapshot: IndexSnapshot
    private var part = 0

    var isAtEnd: Bool { part == IndexSnapshot.partCount }

    /// - Parameters:
    ///   - lifetime: A snapshot that it does not cover is too old, or from the future.
    ///   - byteLimit: Larger files are no snapshots.
    /// - Returns: `nil` when there is no snapshot.
    init?(_ files: EntryFiles, lifetime: Lifetime, byteLimit: Int) {
        let opened = try? files.inRoot { root throws(SystemFailure) in
            try files.system.openForReading(EntryFiles.snapshotName, in: root)
        }
        guard let opened else { return nil }
        guard let status = try? files.system.status(of: opened), status.isRegularFile, status.size <= byteLimit,
            !files.system.hasHole(opened, size: status.size),
            let header = files.read(IndexSnapshot.headerLength, from: opened),
            let snapshot = IndexSnapshot(header: header, fileSize: status.size),
            lifetime.covers(storedAt: snapshot.savedAt, usedAt: snapshot.savedAt, keptUntil: nil)
        else {
            try? files.system.close(opened)
            return nil
        }
        (self.files, descriptor, self.snapshot) = (files, opened, snapshot)
    }

    /// The tables of the next part, none for a damaged one; `nil` at the end.
    mutating func next() -> [IndexTable]? {
        guard part < IndexSnapshot.partCount, let bytes = files.read(snapshot.length(ofPart: part), from: descriptor)
        else { return nil }
        defer { part += 1 }
        return snapshot.tables(ofPart: part, bytes)
    }

    /// The tables of the next parts, a megabyte or more; `nil` at the end.
    mutating func nextMegabyte() -> [IndexTable]? {
        guard var tables = next() else { return nil }
        var length = snapshot.length(ofPart: part - 1)
        while length < 1 << 20, let more = next() {
            tables += more
            length += snapshot.length(ofPart: part - 1)
        }
        return tables
    }

    func close() { try? files.system.close(descriptor) }
}

/// Writes the snapshot of a folder, some parts at a time, each time on a thread that may block.
///
/// ``discard()`` must follow unless the end is reached.
struct SnapshotWriter: Sendable {
    private let files: EntryFiles
    private let name: String
    private let descriptor: FileSystem.Descriptor
    private let snapshot: IndexSnapshot
    private var folders: [IndexTable]
    /// The snapshot in the folder, which another process may have saved.
    private var earlier: SnapshotReader?
    private var part = 0

    private static let serialNumber = Atomic<UInt64>(0)

    init(_ files: EntryFiles, _ folders: [IndexTable], lifetime: Lifetime, byteLimit: Int) throws(SystemFailure) {
        let name = "\(EntryFiles.processToken)-0-\(Self.serialNumber.add(1, ordering: .relaxed).newValue)"
        descriptor = try files.inFolder(EntryFiles.temporaryFolderName, isMade: true) {
            folder throws(SystemFailure) in
            try files.system.createFile(name, in: folder)
        }
        (self.files, self.name, self.folders) = (files, name, folders)
        snapshot = IndexSnapshot(of: folders, savedAt: lifetime.now)
        earlier = SnapshotReader(files, lifetime: lifetime, byteLimit: byteLimit)
    }

    /// Writes a megabyte or more.
    ///
    /// - Returns: Whether the snapshot is complete, and has its name.
    mutating func advance() throws(SystemFailure) -> Bool {
        if part == 0 {
            // Other processes remove unfinished files whose lock is free.
            _ = try? files.system.lock(descriptor)
            try files.system.write(snapshot.header, to: descriptor)
        }
        var length = 0
        while part < IndexSnapshot.partCount, length < 1 << 20 {
            for table in earlier?.next() ?? [] { takeOver(table) }
            let bytes = snapshot.bytes(ofPart: part, of: folders)
            try files.system.write(bytes, to: descriptor)
            (part, length) = (part + 1, length + bytes.count)
        }
        guard part == IndexSnapshot.partCount else { return false }
        try files.inFolder(EntryFiles.temporaryFolderName) { folder throws(SystemFailure) in
            try files.inRoot { root throws(SystemFailure) in
                do throws(SystemFailure) {
                    try files.system.rename(name, in: folder, to: EntryFiles.snapshotName, in: root)
                } catch {
                    guard error.isAboutKind else { throw error }
                    try files.unlink(EntryFiles.snapshotName, in: root)
                    try files.system.rename(name, in: folder, to: EntryFiles.snapshotName, in: root)
                }
            }
        }
        close()
        return true
    }

    /// Takes over the uses that are known better there.
    private mutating func takeOver(_ table: IndexTable) {
        for (digest, record) in table {
            folders[table.folder].update(digest) { own in
                if own.storedAt == record.storedAt { own.usedAt = max(own.usedAt, record.usedAt) }
            }
        }
    }

    /// Removes what was written.
    func discard() {
        close()
        try? files.inFolder(EntryFiles.temporaryFolderName) { folder throws(SystemFailure) in
            try files.system.unlink(name, in: folder)
        }
    }

    private func close() {
        earlier?.close()
        try? files.system.close(descriptor)
    }
}

extension EntryFiles {
    static let snapshotName = "index"

    /// - Returns: `nil` when the file ends before, or cannot be read.
    fileprivate func read(_ count: Int, from descriptor: FileSystem.Descriptor) -> [UInt8]? {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = unsafe (try? system.read(descriptor, into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
        }
        return bytes.count == count ? bytes : nil
    }
}
