// SPDX-License-Identifier: MIT
extension DiskCache {
    /// Some of the entries in the folder, and where the next ones begin.
    public struct Page: Sendable {
        /// One entry.
        public struct Entry: Sendable {
            /// The text of its key.
            public let key: String
            /// The size of its file, in bytes.
            public let byteCount: Int
            /// What is known about it.
            public let metadata: EntryMetadata
        }

        /// A file that is no complete entry of this version.
        public struct Damage: Sendable {
            /// The file.
            public let path: String
            /// Its size, in bytes; 0 when it is not known.
            public let byteCount: Int
            /// Why the file could not be read; `nil` when it was read and is not an entry.
            public let error: CacheError?
            /// Whether the file was removed.
            public internal(set) var isRemoved = false
        }

        /// A place in the order of all files.
        public struct Place: Sendable {
            let folder: Int
            let name: String
        }

        /// The entries, also those that are too old.
        public internal(set) var entries: [Entry] = []
        /// The files that are named like entries and are none.
        public internal(set) var damages: [Damage] = []
        /// Where the next page begins; `nil` at the end.
        public internal(set) var next: Place?
    }

    /// A page of the entries in the folder, in the order of their files' names.
    ///
    /// All pages together have each entry once that is stored from the first page to the last. Nothing counts as a use.
    /// A folder that cannot be listed is left out, with a warning. After a shutdown the page is empty and the last.
    ///
    /// **Isolation**: the threads of the cache read; the actor is held between files only, and no index is needed.
    ///
    /// - Parameters:
    ///   - place: Where the page begins: ``Page/next`` of the page before; `nil` for the first.
    ///   - limit: The largest number of files, from 1 to 1,000. A page may have fewer and not be the last.
    ///   - verifiesBodies: Whether to read each entry as a whole; otherwise its key and metadata are verified.
    ///   - removesDamages: Whether to remove files that were read and are no entries.
    /// - Throws: `CancellationError` only.
    /// - Complexity: Lists one of the 256 folders, and reads `limit` files.
    public func page(
        from place: Page.Place? = nil, limit: Int = 100, verifiesBodies: Bool = false, removesDamages: Bool = false
    ) async throws -> Page {
        guard try begin() else { return Page() }
        defer { end() }
        let (number, after) = (place?.folder ?? 0, place?.name ?? "")
        let limit = min(max(1, limit), 1_000)
        var page = Page()
        let folder = EntryFiles.entryFolders[number]
        let result = try await attempt { files throws(SystemFailure) in
            try files.entryNames(in: folder, after: after, limit: limit)
        }
        var names: [String] = []
        switch result {
        case .success(let found): names = found
        case .failure(let failure): warn(CacheError(failure, path: "\(files.folder)/\(folder)"), during: .reading)
        case nil:
            let error = CacheError(
                code: .overloaded, message: "Too many operations wait for the disk.", path: files.folder)
            warn(error, during: .reading)
        }
        for name in names {
            guard let digest = KeyDigest(fileName: name) else { continue }
            try await examine(digest, verifiesBodies, removesDamages, &page)
        }
        if names.count == limit, let last = names.last {
            page.next = Page.Place(folder: number, name: last)
        } else if number + 1 < EntryFiles.entryFolders.count {
            page.next = Page.Place(folder: number + 1, name: "")
        }
        return page
    }

    /// Adds a file to a page.
    private func examine(
        _ digest: KeyDigest, _ withBody: Bool, _ removesDamages: Bool, _ page: inout Page
    ) async throws {
        let limit = fileSizeLimit
        let result = try await attempt { files throws(SystemFailure) -> (EntryFiles.Finding, String) in
            var key: [UInt8] = []
            let finding = try files.read(digest, fileSizeLimit: limit, withBody: withBody) { name in
                key = Array(name)
                // The first half is that of the original's key, which the file does not tell.
                return Digest.of(key).1 == digest.low
            }
            return (finding, String(decoding: key, as: UTF8.self))
        }
        switch result {
        case .success((.entry(let entry, let status), let key)):
            page.entries.append(.init(key: key, byteCount: status.size, metadata: entry.metadata))
        case .success((.nothing, _)), nil:
            break
        case .success((.damaged(let file), _)), .success((.otherKey(let file), _)),
            .success((.expired(let file), _)), .success((.outdated(let file), _)):
            var damage = Page.Damage(path: files.path(of: digest), byteCount: file.size, error: nil)
            if removesDamages { damage.isRemoved = try await discard(digest, file) }
            page.damages.append(damage)
        case .failure(let failure):
            let path = files.path(of: digest)
            page.damages.append(.init(path: path, byteCount: 0, error: CacheError(failure, path: path)))
        }
    }
}
