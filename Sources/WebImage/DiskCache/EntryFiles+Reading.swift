// SPDX-License-Identifier: MIT
extension EntryFiles {
    /// What a read found.
    enum Finding: Sendable {
        /// A complete, verified entry, and its file.
        case entry(DiskEntry, FileSystem.Status)
        /// No file.
        case nothing
        /// A verified entry of another key with the same digest.
        case otherKey(FileSystem.Status)
        /// A verified entry that is too old, from the future, or past its own end.
        case expired(FileSystem.Status)
        /// A verified entry that was made from another content than its original has.
        case outdated(FileSystem.Status)
        /// Something that is not a complete entry.
        case damaged(FileSystem.Status)

        /// The file, if it is of no use to any key.
        var useless: FileSystem.Status? {
            switch self {
            case .expired(let status), .outdated(let status), .damaged(let status): status
            case .entry, .nothing, .otherKey: nil
            }
        }
    }

    /// Memory up to this size is allocated for any file.
    static var unquestionedSize: Int { 1 << 20 }

    /// Looks the entry of `key` up: reads and verifies it, decides whether it counts, and notes the use in its file.
    ///
    /// - Parameters:
    ///   - original: What the entry must have been made from, if it says so; `nil` for anything. An original that is
    ///     missing or cannot be read says nothing about the entry.
    ///   - lifetime: Entries that it does not cover are too old. Asked when there is an entry.
    ///   - usedAt: When this process has used the entry last, in seconds since 1970.
    /// - Throws: Where calls may not wait, also when what is in memory does not decide.
    func lookUp(
        _ key: CacheKey, _ digest: KeyDigest, madeFrom original: CacheKey?, lifetime: @autoclosure () -> Lifetime,
        usedAt: Int64, fileSizeLimit: Int, withBody: Bool
    ) throws(SystemFailure) -> Finding {
        let finding = try read(key, digest, fileSizeLimit: fileSizeLimit, withBody: withBody)
        guard case .entry(let entry, let status) = finding else { return finding }
        let lifetime = lifetime().own(entry.metadata.age)
        let (metadata, isKnownUse) = (entry.metadata, status.accessedAt <= lifetime.latest)
        guard
            lifetime.covers(
                storedAt: metadata.storedAt, usedAt: isKnownUse ? max(status.accessedAt, usedAt) : usedAt,
                keptUntil: metadata.keptUntil)
        else { return .expired(status) }
        if let original, let made = metadata.madeFrom,
            let present = try generation(of: original, fileSizeLimit: fileSizeLimit), present != made
        {
            return .outdated(status)
        }
        if lifetime.isOutdated(use: status.accessedAt) {
            guard system.mayWait else { throw SystemFailure.wouldWait }
            // Not noted on a read-only file system.
            try? inFolder(digest.folder) { folder throws(SystemFailure) in
                try system.setAccess(digest.fileName, in: folder, to: lifetime.now)
            }
        }
        return finding
    }

    /// The entry in a file that the index has for too old, if it counts; else `nil`.
    func present(
        _ digest: KeyDigest, _ lifetime: Lifetime, fileSizeLimit: Int
    ) throws(SystemFailure) -> (EntryMetadata, FileSystem.Status)? {
        let found = try read(digest, fileSizeLimit: fileSizeLimit, withBody: false) { _ in true }
        guard case .entry(let entry, let status) = found else { return nil }
        let (metadata, stored, used) = (entry.metadata, status.modifiedAt, status.accessedAt)
        let counts = lifetime.own(metadata.age).covers(storedAt: stored, usedAt: used, keptUntil: metadata.keptUntil)
        return counts ? (metadata, status) : nil
    }

    /// The content of an original; `nil` when there is none or it cannot be read.
    private func generation(
        of original: CacheKey, fileSizeLimit: Int
    ) throws(SystemFailure) -> ContentGeneration? {
        do throws(SystemFailure) {
            let finding = try read(
                original, KeyDigest(of: original), fileSizeLimit: fileSizeLimit, withBody: false)
            if case .entry(let entry, _) = finding { return entry.metadata.generation }
        } catch {
            // A thread that may wait gets an answer.
            if !system.mayWait { throw error }
        }
        return nil
    }

    /// Reads and verifies the entry of `key`.
    ///
    /// - Parameters:
    ///   - fileSizeLimit: Larger files are damaged; nothing is allocated for them, nor for those with holes.
    ///   - withBody: Whether to read and verify the body too; without it `bytes` is empty.
    func read(
        _ key: CacheKey, _ digest: KeyDigest, fileSizeLimit: Int, withBody: Bool
    ) throws(SystemFailure) -> Finding {
        try read(digest, fileSizeLimit: fileSizeLimit, withBody: withBody) { $0.elementsEqual(key.rawValue.utf8) }
    }

    /// Reads and verifies the entry in a file.
    ///
    /// - Parameter isWanted: Whether an entry of this key, in UTF-8, is wanted.
    func read(
        _ digest: KeyDigest, fileSizeLimit: Int, withBody: Bool, _ isWanted: (ArraySlice<UInt8>) -> Bool
    ) throws(SystemFailure) -> Finding {
        let finding = try SystemFailure.unlessNotFound { () throws(SystemFailure) in
            guard system.mayWait else {
                let descriptor = try system.openInMemory(path(of: digest))
                defer { try? system.close(descriptor) }
                return try read(descriptor, fileSizeLimit: fileSizeLimit, withBody: withBody, isWanted)
            }
            return try inFolder(digest.folder) { folder throws(SystemFailure) -> Finding in
                let descriptor: FileSystem.Descriptor
                do throws(SystemFailure) {
                    descriptor = try system.openForReading(digest.fileName, in: folder)
                } catch {
                    if error.isLink { return .damaged(try system.status(of: digest.fileName, in: folder)) }
                    throw error
                }
                // The bytes are verified. A failing close of a file that was only read says nothing about them.
                defer { try? system.close(descriptor) }
                return try read(descriptor, fileSizeLimit: fileSizeLimit, withBody: withBody, isWanted)
            }
        }
        return finding ?? .nothing
    }

    private func read(
        _ descriptor: FileSystem.Descriptor, fileSizeLimit: Int, withBody: Bool,
        _ isWanted: (ArraySlice<UInt8>) -> Bool
    ) throws(SystemFailure) -> Finding {
        let status = try system.status(of: descriptor)
        guard status.isRegularFile, (EntryHeader.length...max(EntryHeader.length, fileSizeLimit)).contains(status.size)
        else { return .damaged(status) }
        // A writer leaves no hole, so the bytes read below were written and not only announced.
        if status.size > Self.unquestionedSize, system.hasHole(descriptor, size: status.size) {
            return .damaged(status)
        }
        let usual = min(status.size, EntryHeader.usualBodyOffset)
        // A small file is read at once, a large one when its front is verified.
        let isWhole = withBody && status.size <= Self.unquestionedSize
        var (front, body) = try parts(descriptor, usual, isWhole ? status.size - usual : 0)
        guard let header = EntryHeader(front, fileSize: status.size) else { return .damaged(status) }
        let missing = header.bodyOffset - front.count
        if missing > 0 {
            front += isWhole ? Array(body.prefix(missing)) : try parts(descriptor, missing, 0).first
            if isWhole { body.removeFirst(min(missing, body.count)) }
        }
        guard header.matchesFront(front) else { return .damaged(status) }
        let keyEnd = EntryHeader.length + header.keyLength
        guard isWanted(front[EntryHeader.length..<keyEnd]) else { return .otherKey(status) }
        guard var metadata = EntryMetadata(encoded: front[keyEnd..<header.bodyOffset]) else { return .damaged(status) }
        metadata.generation = ContentGeneration(rawValue: header.bodyChecksum)
        guard withBody else { return .entry(DiskEntry(metadata: metadata, bytes: []), status) }
        let early = front[header.bodyOffset...]
        if !isWhole { body = try parts(descriptor, 0, header.bodyLength - early.count).second }
        if !early.isEmpty { body.insert(contentsOf: early, at: 0) }
        guard body.count == header.bodyLength, Checksum.ofContent(body) == header.bodyChecksum else {
            return .damaged(status)
        }
        return .entry(DiskEntry(metadata: metadata, bytes: body), status)
    }

    /// Two parts of a file that follow each other, read together; shorter when the file ends.
    private func parts(
        _ descriptor: FileSystem.Descriptor, _ firstCount: Int, _ secondCount: Int
    ) throws(SystemFailure) -> (first: [UInt8], second: [UInt8]) {
        var first = [UInt8](repeating: 0, count: firstCount)
        var firstFilled = 0
        let second = try unsafe [UInt8](unsafeUninitializedCapacity: secondCount) {
            second, secondFilled throws(SystemFailure) in
            let rest = unsafe UnsafeMutableBufferPointer(rebasing: second[..<secondCount])
            let count = try unsafe first.withUnsafeMutableBufferPointer { first throws(SystemFailure) in
                try unsafe system.read(
                    descriptor, into: UnsafeMutableRawBufferPointer(first), then: UnsafeMutableRawBufferPointer(rest))
            }
            firstFilled = min(count, firstCount)
            secondFilled = count - firstFilled
        }
        first.removeLast(firstCount - firstFilled)
        return (first, second)
    }
}
