// SPDX-License-Identifier: MIT
internal import Locks
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
/// Both files are written elsewhere and renamed. What is known names the length and the checksum of the bytes; when
/// they differ, SDWebImage has replaced the bytes, and what was known is ignored.
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
    private static let serialNumber = Atomic<UInt64>(0)

    /// The entry of a key; `nil` when no folder has it.
    ///
    /// - Parameters:
    ///   - limit: Larger files are no entries.
    ///   - time: Noted as the time of access, in seconds since 1970.
    func read(_ key: CacheKey, limit: Int, at time: Int64) throws(SystemFailure) -> DiskEntry? {
        let name = SDWebImageName(key)
        var trouble: SystemFailure?
        for place in [folder] + readOnlyFolders {
            do throws(SystemFailure) {
                guard let found = try body(name, in: place, limit: limit, at: time) else { continue }
                var known = metadata(key, name, in: place, found.bytes, found.status)
                // SDWebImage may have changed it since it was noted.
                if let data = found.attribute { known.extendedData = data }
                return DiskEntry(metadata: known, bytes: found.bytes)
            } catch {
                // A folder beside the first one that cannot be read says nothing.
                if place == folder { trouble = error }
            }
        }
        if let trouble { throw trouble }
        return nil
    }

    /// The bytes under a name, or under the name without its extension.
    private func body(
        _ name: SDWebImageName, in place: String, limit: Int, at time: Int64
    ) throws(SystemFailure) -> Contents? {
        do throws(SystemFailure) {
            let folder = try system.openFolder(place, mayBeLink: true)
            defer { try? system.close(folder) }
            for file in name.suffix.isEmpty ? [name.digest] : [name.file, name.digest] {
                guard let found = try contents(file, in: folder, limit: limit) else { continue }
                if place == self.folder { try? system.setAccess(file, in: folder, to: time) }
                return found
            }
            return nil
        } catch {
            if error.isNotFound { return nil }
            throw error
        }
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
            var bytes = [UInt8](repeating: 0, count: status.size)
            var failure: SystemFailure?
            let count = unsafe bytes.withUnsafeMutableBytes { buffer -> Int in
                do throws(SystemFailure) { return try unsafe system.read(descriptor, into: buffer) } catch {
                    failure = error
                    return 0
                }
            }
            if let failure { throw failure }
            bytes.removeLast(bytes.count - count)
            return Contents(
                bytes: bytes, status: status, attribute: system.attribute(Self.attributeName, of: descriptor))
        } catch {
            if error.isNotFound || error.isAboutKind { return nil }
            throw error
        }
    }

    /// What this package has noted about the bytes, or else what the file tells.
    private func metadata(
        _ key: CacheKey, _ name: SDWebImageName, in place: String, _ bytes: [UInt8], _ status: FileSystem.Status
    ) -> EntryMetadata {
        let generation = ContentGeneration(of: bytes)
        var bare = EntryMetadata(url: SDWebImageName.text(of: key), generation: generation, storedAt: status.modifiedAt)
        bare.format = nil
        guard let folder = try? system.openFolder(place + Self.hidden, mayBeLink: false) else { return bare }
        defer { try? system.close(folder) }
        guard let front = (try? contents(name.digest, in: folder, limit: 1 << 20))?.bytes,
            let noted = DiskEntry(front: front, bytes, for: key)
        else { return bare }
        return noted.metadata
    }

    /// Writes an entry, and then what is known about it.
    func write(_ entry: DiskEntry, for key: CacheKey) throws(SystemFailure) {
        let name = SDWebImageName(key)
        var noted = entry
        if try put(entry.bytes, entry.metadata.extendedData, as: name.file, in: folder) {
            noted.metadata.extendedData = nil
        }
        // The entry counts without it.
        try? note(noted, for: key)
    }

    /// Changes what is known about an entry.
    func renew(_ entry: DiskEntry, for key: CacheKey) throws(SystemFailure) {
        var noted = entry
        let name = SDWebImageName(key)
        let isKept = try? inFolder { folder throws(SystemFailure) -> Bool in
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

    private func inFolder<Outcome>(
        _ body: (FileSystem.Descriptor) throws(SystemFailure) -> Outcome
    ) throws(SystemFailure) -> Outcome {
        let folder = try system.openFolder(self.folder, mayBeLink: true)
        defer { try? system.close(folder) }
        return try body(folder)
    }

    /// Writes what is known about an entry.
    private func note(_ entry: DiskEntry, for key: CacheKey) throws(SystemFailure) {
        guard let front = entry.encodedFront(for: key) else { return }
        _ = try put(front, nil, as: SDWebImageName(key).digest, in: folder + Self.hidden)
    }

    /// - Returns: Whether the file has the attribute.
    private func put(
        _ bytes: [UInt8], _ attribute: [UInt8]?, as name: String, in place: String
    ) throws(SystemFailure) -> Bool {
        let hidden = folder + Self.hidden
        let source = try madeFolder(hidden)
        defer { try? system.close(source) }
        let serial = Self.serialNumber.add(1, ordering: .relaxed).newValue
        let temporary = "tmp-\(EntryFiles.processToken)-\(serial)"
        let descriptor = try system.createFile(temporary, in: source)
        var hasAttribute = false
        do throws(SystemFailure) {
            do throws(SystemFailure) {
                try system.write(bytes, to: descriptor)
                if let attribute {
                    hasAttribute =
                        (try? system.setAttribute(Self.attributeName, of: descriptor, to: attribute)) != nil
                }
            } catch {
                try? system.close(descriptor)
                throw error
            }
            try system.close(descriptor)
            let target = try madeFolder(place)
            defer { try? system.close(target) }
            try system.rename(temporary, in: source, to: name, in: target)
        } catch {
            try? system.unlink(temporary, in: source)
            throw error
        }
        return hasAttribute
    }

    private func madeFolder(_ path: String) throws(SystemFailure) -> FileSystem.Descriptor {
        do throws(SystemFailure) {
            return try system.openFolder(path, mayBeLink: path == folder)
        } catch {
            guard error.isNotFound else { throw error }
            try system.makeFolders(path)
            return try system.openFolder(path, mayBeLink: path == folder)
        }
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
        do throws(SystemFailure) {
            let folder = try system.openFolder(place, mayBeLink: place == self.folder)
            defer { try? system.close(folder) }
            for name in names {
                do throws(SystemFailure) { try system.unlink(name, in: folder) } catch {
                    guard error.isNotFound || error.isAboutFolder else { throw error }
                }
            }
        } catch {
            guard error.isNotFound else { throw error }
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
        do throws(SystemFailure) {
            let folder = try system.openFolder(self.folder, mayBeLink: true)
            defer { try? system.close(folder) }
            var listed: [Listed] = []
            for name in try system.names(in: folder) where SDWebImageName.isEntry(name) {
                guard let status = try? system.status(of: name, in: folder), status.isRegularFile else { continue }
                let seconds =
                    switch date {
                    case .access: status.accessedAt
                    case .modification: status.modifiedAt
                    case .creation: system.creationTime(of: name, in: folder) ?? status.modifiedAt
                    case .change: Int64(status.changedAt.seconds)
                    }
                // A sparse file may claim any size.
                listed.append(Listed(name: name, size: min(max(0, status.size), 1 << 40), date: seconds))
            }
            return listed
        } catch {
            if error.isNotFound { return [] }
            throw error
        }
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
