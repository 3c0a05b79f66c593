extension EntryFiles {
    /// One entry's file, as a listing shows it.
    struct Listed: Sendable, Equatable {
        var digest: KeyDigest
        var size: Int
        var modifiedAt: Int64
    }

    /// Those of the 256 folders that are there; all of them when the cache's folder cannot be listed.
    func presentFolders() -> [String] {
        guard let names = try? system.names(inFolder: folder) else { return Self.entryFolders }
        let present = Set(names)
        return Self.entryFolders.filter(present.contains)
    }

    /// The entries in one of the 256 folders.
    ///
    /// What is not named like an entry is passed over.
    ///
    /// - Complexity: O(number of files), one status call each; no file is opened.
    func list(_ folderName: String) throws(SystemFailure) -> [Listed] {
        let path = "\(folder)/\(folderName)"
        let names: [String]
        do throws(SystemFailure) {
            names = try system.names(inFolder: path)
        } catch {
            if error.isNotFound { return [] }
            throw error
        }
        var listed: [Listed] = []
        listed.reserveCapacity(names.count)
        for name in names {
            guard let digest = KeyDigest(fileName: name), digest.folder == folderName,
                let status = try? system.status(ofPath: "\(path)/\(name)"), status.isRegularFile
            else { continue }
            listed.append(Listed(digest: digest, size: status.size, modifiedAt: status.modifiedAt))
        }
        return listed
    }

    /// Removes the files that writers of dead processes left.
    ///
    /// - Returns: How many were removed.
    func removeAbandonedFiles() -> Int {
        guard let names = try? system.names(inFolder: temporaryFolder) else { return 0 }
        var count = 0
        for name in names where Self.isAbandoned(name) {
            if (try? system.unlink("\(temporaryFolder)/\(name)")) != nil { count += 1 }
        }
        return count
    }
}
