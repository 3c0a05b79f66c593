// SPDX-License-Identifier: MIT
internal import WebImage

/// The files of a folder of SDWebImage. Every method blocks.
///
/// ```
/// <folder>/<32 digits>.png                    the bytes of an entry, as SDWebImage has them
/// <folder>/.swift-web-image/<32 digits>       what this package knows of them; SDWebImage skips hidden files
/// <folder>/.swift-web-image/tmp-<token>-<n>   files being written
/// ```
/// Extended data is an attribute of the entry's file, as SDWebImage has it. Where the file system has no attributes, or
/// no room for one, it stands with what this package knows.
///
/// Both files are written elsewhere and renamed, what is known first. It names the length and the checksum of the bytes;
/// when they differ, SDWebImage has replaced the bytes, and what was known is ignored.
struct FlatFiles: Sendable {
    let folder: String
    /// Folders that are asked in order when the first has no file. Never written.
    let readOnlyFolders: [String]
    var system = FileSystem()

    /// The attribute in which SDWebImage keeps the extended data of an entry. Linux has such names below `user`.
    static let attributeName: String = {
        #if canImport(Darwin)
        "com.hackemist.SDDiskCache"
        #else
        "user.com.hackemist.SDDiskCache"
        #endif
    }()

    private static let hidden = "/.swift-web-image"

    /// The entry of a key; `nil` when no folder has it.
    ///
    /// - Parameters:
    ///   - limit: Larger files are no entries.
    ///   - time: Noted as the time of access, in seconds since 1970.
    func read(_ key: CacheKey, limit: Int, at time: Int64) throws(SystemFailure) -> DiskEntry? {
        var trouble: SystemFailure?
        for place in [folder] + readOnlyFolders {
            do throws(SystemFailure) {
                if let entry = try entry(key, in: place, limit: limit, at: time) { return entry }
            } catch {
                // A folder beside the first one that cannot be read says nothing.
                if place == folder { trouble = error }
            }
        }
        if let trouble { throw trouble }
        return nil
    }

    /// The entry under the name of a key, or under the name without its extension.
    private func entry(
        _ key: CacheKey, in place: String, limit: Int, at time: Int64
    ) throws(SystemFailure) -> DiskEntry? {
        let name = SDWebImageName(key)
        let found = try inPresentFolder(place) { folder throws(SystemFailure) -> DiskEntry? in
            for file in name.suffix.isEmpty ? [name.digest] : [name.file, name.digest] {
                guard let found = try contents(file, in: folder, limit: limit) else { continue }
                guard var known = metadata(key, name, in: place, found.bytes, found.status) else { return nil }
                // SDWebImage may have changed it since it was noted.
                if let data = found.attribute { known.extendedData = data }
                if place == self.folder { try? system.setAccess(file, in: folder, to: time) }
                return DiskEntry(metadata: known, bytes: found.bytes)
            }
            return nil
        }
        return found ?? nil
    }

    private struct Contents {
        let bytes: [UInt8]
        let status: FileSystem.Status
        /// The extended data.
        let attribute: [UInt8]?
    }

    /// The contents of a file; `nil` when there is none, or it is no usual file of at most `limit` bytes.
    private func contents(
        _ name: String, in folder: FileSystem.Descriptor, limit: Int
    ) throws(SystemFailure) -> Contents? {
        do throws(SystemFailure) {
            let descriptor = try system.openForReading(name, in: folder)
            defer { try? system.close(descriptor) }
            let status = try system.status(of: descriptor)
            guard status.isRegularFile, (0...max(0, limit)).contains(status.size),
                status.size < 1 << 20 || !system.hasHole(descriptor, size: status.size)
            else { return nil }
            let bytes = try unsafe [UInt8](unsafeUninitializedCapacity: status.size) {
                buffer, count throws(SystemFailure) in
                let whole = unsafe UnsafeMutableBufferPointer(rebasing: buffer[..<status.size])
                count = try unsafe system.read(descriptor, into: UnsafeMutableRawBufferPointer(whole))
            }
            return Contents(
                bytes: bytes, status: status, attribute: system.attribute(Self.attributeName, of: descriptor))
        } catch {
            if error.isNotFound || error.isAboutKind { return nil }
            throw error
        }
    }

    /// What this package has noted about the bytes, or else what the file tells; `nil` when they are noted for another
    /// key of this name.
    private func metadata(
        _ key: CacheKey, _ name: SDWebImageName, in place: String, _ bytes: [UInt8], _ status: FileSystem.Status
    ) -> EntryMetadata? {
        let generation = ContentGeneration(of: bytes)
        let format = key.isOriginal ? nil : ImageFormat(sniffing: bytes)?.name
        let bare = EntryMetadata(
            url: SDWebImageName.text(of: key), format: format, generation: generation, storedAt: status.modifiedAt)
        guard let front = try? front(name, in: place), let noted = DiskEntry.read(front, bytes) else { return bare }
        return CacheKey(noted.key) == key ? noted.entry.metadata : nil
    }

    /// What this package has noted about the bytes under a name.
    private func front(_ name: SDWebImageName, in place: String) throws(SystemFailure) -> [UInt8]? {
        let found = try inPresentFolder(place + Self.hidden, mayBeLink: false) { folder throws(SystemFailure) in
            try contents(name.digest, in: folder, limit: 1 << 20)?.bytes
        }
        return found ?? nil
    }

    /// Writes an entry, and before it what is known about it.
    ///
    /// Bytes beside a note about others would count for every key of their name. So an entry of another key goes first.
    func write(_ entry: DiskEntry, for key: CacheKey) throws(SystemFailure) {
        try put(
            entry.bytes, entry.metadata.extendedData, as: SDWebImageName(key).file, in: folder
        ) { hasAttribute throws(SystemFailure) in
            try removeOthers(key)
            var noted = entry
            if hasAttribute { noted.metadata.extendedData = nil }
            try note(noted, for: key)
        }
        // Another thread, or program, may have noted an entry of another key meanwhile.
        try removeOthers(key)
    }

    /// Removes what is under the name of a key, if it is noted for another key.
    private func removeOthers(_ key: CacheKey) throws(SystemFailure) {
        guard let front = try front(SDWebImageName(key), in: folder), let noted = DiskEntry.key(inFront: front),
            CacheKey(noted) != key
        else { return }
        try remove(key)
    }

    /// Changes what is known about an entry.
    func renew(_ entry: DiskEntry, for key: CacheKey) throws(SystemFailure) {
        var noted = entry
        let name = SDWebImageName(key)
        let isKept = try? system.inFolder(folder, mayBeLink: true) { folder throws(SystemFailure) -> Bool in
            for file in [name.file, name.digest] {
                guard let descriptor = try? system.openForReading(file, in: folder) else { continue }
                defer { try? system.close(descriptor) }
                let data = entry.metadata.extendedData
                guard data != nil || system.attribute(Self.attributeName, of: descriptor) != nil else { return true }
                try system.setAttribute(Self.attributeName, of: descriptor, to: data)
                return true
            }
            return false
        }
        if isKept == true { noted.metadata.extendedData = nil }
        try note(noted, for: key)
    }

    /// Runs `body` on a folder; `nil` when the folder, or the file that `body` asks for, is missing.
    private func inPresentFolder<Outcome>(
        _ path: String, mayBeLink: Bool = true, _ body: (FileSystem.Descriptor) throws(SystemFailure) -> Outcome
    ) throws(SystemFailure) -> Outcome? {
        try SystemFailure.unlessNotFound { () throws(SystemFailure) in
            try system.inFolder(path, mayBeLink: mayBeLink, body)
        }
    }

    /// Writes what is known about an entry.
    private func note(_ entry: DiskEntry, for key: CacheKey) throws(SystemFailure) {
        guard let front = entry.encodedFront(for: key) else { return }
        try put(front, nil, as: SDWebImageName(key).digest, in: folder + Self.hidden) { _ in }
    }

    /// - Parameter prepare: Called when all is written and not yet in its place, with whether the file has the attribute.
    private func put(
        _ bytes: [UInt8], _ attribute: [UInt8]?, as name: String, in place: String,
        _ prepare: (Bool) throws(SystemFailure) -> Void
    ) throws(SystemFailure) {
        try system.inFolder(folder + Self.hidden, isMade: true) { source throws(SystemFailure) in
            let temporary = "tmp-" + EntryFiles.temporaryName()
            let descriptor = try system.createFile(temporary, in: source)
            do throws(SystemFailure) {
                try prepare(try fill(descriptor, bytes, attribute))
                try system.inFolder(place, mayBeLink: place == folder, isMade: true) { target throws(SystemFailure) in
                    try system.rename(temporary, in: source, to: name, in: target)
                }
            } catch {
                try? system.unlink(temporary, in: source)
                throw error
            }
        }
    }

    /// Writes and closes a file.
    ///
    /// - Returns: Whether it has the attribute.
    private func fill(
        _ descriptor: FileSystem.Descriptor, _ bytes: [UInt8], _ attribute: [UInt8]?
    ) throws(SystemFailure) -> Bool {
        do throws(SystemFailure) {
            try system.write(bytes, to: descriptor)
        } catch {
            try? system.close(descriptor)
            throw error
        }
        var hasAttribute = false
        if let attribute {
            hasAttribute = (try? system.setAttribute(Self.attributeName, of: descriptor, to: attribute)) != nil
        }
        try system.close(descriptor)
        return hasAttribute
    }

    /// Removes the files of a key. Those in the other folders stay.
    func remove(_ key: CacheKey) throws(SystemFailure) {
        let name = SDWebImageName(key)
        try unlink([name.file, name.digest], in: folder)
        try? unlink([name.digest], in: folder + Self.hidden)
    }

    /// Removes files that are entries.
    func remove(_ files: [String]) throws(SystemFailure) {
        try unlink(files, in: folder)
        try? unlink(files.map { String($0.prefix(32)) }, in: folder + Self.hidden)
    }

    private func unlink(_ names: [String], in place: String) throws(SystemFailure) {
        _ = try inPresentFolder(place, mayBeLink: place == folder) { folder throws(SystemFailure) in
            for name in names {
                do throws(SystemFailure) { try system.unlink(name, in: folder) } catch {
                    guard error.isNotFound || error.isAboutFolder else { throw error }
                }
            }
        }
    }

    /// An entry of the folder.
    struct Listed: Sendable {
        let name: String
        /// In bytes.
        let size: Int
        /// In seconds since 1970.
        let date: Int64
    }

    /// The entries of the folder.
    ///
    /// - Parameter date: Which of their dates counts. A file system that does not keep the creation says the
    ///   modification.
    func list(by date: SDWebImageCache.Date) throws(SystemFailure) -> [Listed] {
        let listed = try inPresentFolder(folder) { folder throws(SystemFailure) in
            var listed: [Listed] = []
            for name in try system.names(in: folder) where SDWebImageName.isEntry(name) {
                guard let status = try? system.status(of: name, in: folder), status.isRegularFile else { continue }
                let seconds =
                    switch date {
                    case .access: status.accessedAt
                    case .modification: status.modifiedAt
                    case .creation: system.creationTime(of: name, in: folder) ?? status.modifiedAt
                    case .change: status.changedAt.wholeSeconds
                    }
                // A sparse file may claim any size.
                listed.append(Listed(name: name, size: min(max(0, status.size), 1 << 40), date: seconds))
            }
            return listed
        }
        return listed ?? []
    }

    /// Removes what is known of entries that are gone, and files that ended writers have left, when they are an hour
    /// old.
    func removeLeftovers(_ present: Set<String>, now: Int64) {
        guard let folder = try? system.openFolder(self.folder + Self.hidden, mayBeLink: false) else { return }
        defer { try? system.close(folder) }
        for name in (try? system.names(in: folder)) ?? [] where !present.contains(name) {
            guard let status = try? system.status(of: name, in: folder), status.isRegularFile,
                abs(Double(now) - Double(status.modifiedAt)) > 3600
            else { continue }
            try? system.unlink(name, in: folder)
        }
    }
}
