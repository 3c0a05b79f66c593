extension EntryFiles {
    /// What a read found.
    enum Finding: Sendable {
        /// A complete, verified entry, and its file.
        case entry(DiskEntry, FileSystem.Status)
        /// No file.
        case nothing
        /// A verified entry of another key with the same digest.
        case otherKey
        /// Something that is not a complete entry.
        case damaged(FileSystem.Status)
    }

    /// Nearly every header, key and metadata fits; one call then reads all of it.
    private static var frontGuess: Int { 1024 }

    /// Reads and verifies the entry of `key`.
    ///
    /// - Parameters:
    ///   - fileSizeLimit: Larger files are damaged; nothing is allocated for them.
    ///   - withBody: Whether to read and verify the body too; without it `bytes` is empty.
    func read(
        _ key: CacheKey, _ digest: KeyDigest, fileSizeLimit: Int, withBody: Bool
    ) throws(SystemFailure) -> Finding {
        let descriptor: FileSystem.Descriptor
        do throws(SystemFailure) {
            descriptor = try system.openForReading(path(of: digest))
        } catch {
            if error.isNotFound { return .nothing }
            if error.isLink { return .damaged(try system.status(ofPath: path(of: digest))) }
            throw error
        }
        let finding: Result<Finding, SystemFailure>
        do throws(SystemFailure) {
            finding = .success(try read(descriptor, key, fileSizeLimit: fileSizeLimit, withBody: withBody))
        } catch {
            finding = .failure(error)
        }
        // What was read is verified; a failing close of a file that was only read says nothing about it.
        try? system.close(descriptor)
        return try finding.get()
    }

    private func read(
        _ descriptor: FileSystem.Descriptor, _ key: CacheKey, fileSizeLimit: Int, withBody: Bool
    ) throws(SystemFailure) -> Finding {
        let status = try system.status(of: descriptor)
        guard status.isRegularFile, (EntryHeader.length...max(EntryHeader.length, fileSizeLimit)).contains(status.size)
        else { return .damaged(status) }
        var front = try bytes(descriptor, count: min(status.size, Self.frontGuess))
        guard let header = EntryHeader(front, fileSize: status.size) else { return .damaged(status) }
        if header.bodyOffset > front.count {
            front += try bytes(descriptor, count: header.bodyOffset - front.count)
        }
        guard header.matchesFront(front) else { return .damaged(status) }
        let keyEnd = EntryHeader.length + header.keyLength
        guard front[EntryHeader.length..<keyEnd].elementsEqual(key.rawValue.utf8) else { return .otherKey }
        guard let metadata = EntryMetadata(encoded: front[keyEnd..<header.bodyOffset]) else { return .damaged(status) }
        guard withBody else { return .entry(DiskEntry(metadata: metadata, bytes: []), status) }
        let body = try bytes(descriptor, count: header.bodyLength, beginningWith: front[header.bodyOffset...])
        guard body.count == header.bodyLength, Checksum.of(body) == header.bodyChecksum else {
            return .damaged(status)
        }
        return .entry(DiskEntry(metadata: metadata, bytes: body), status)
    }

    /// `count` bytes, of which the first were read before; fewer when the file ends.
    private func bytes(
        _ descriptor: FileSystem.Descriptor, count: Int, beginningWith start: ArraySlice<UInt8> = []
    ) throws(SystemFailure) -> [UInt8] {
        var failure: SystemFailure?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let known = min(start.count, count)
            _ = unsafe buffer[..<known].update(fromContentsOf: start.prefix(known))
            filled = known
            do throws(SystemFailure) {
                let rest = unsafe UnsafeMutableBufferPointer(rebasing: buffer[known...])
                filled += unsafe try system.read(descriptor, into: UnsafeMutableRawBufferPointer(rest))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }
}
