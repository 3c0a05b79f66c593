// SPDX-License-Identifier: MIT
import PlatformBasics

/// A folder that pictures are written to. It never shows a partial picture, and keeps what it has unless told
/// otherwise.
///
/// **Isolation**: runs on a queue of its own, because files block.
actor OutputFolder {
    private let path: String
    private let overwrites: Bool
    private let executor = QueueExecutor("output")
    private var serial = 0
    private var isReady = false
    /// The names written by this process.
    private var names: Set<String> = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - path: Made with the first file; the present folder when empty.
    ///   - overwrites: Whether files of earlier runs are replaced.
    /// - Throws: ``SystemError`` when something that is no folder is in the way.
    init(_ path: String, overwrites: Bool = false) throws(SystemError) {
        self.path = path.isEmpty || path.hasSuffix("/") ? path : path + "/"
        self.overwrites = overwrites
        try Self.checkFolder(path)
    }

    /// Writes a file, and returns its path as the user would type it.
    ///
    /// A file that holds the same bytes already is left as it is.
    ///
    /// - Throws: ``Outcome/Failure`` when the system refuses, or another file has the name; `CancellationError`, with
    ///   nothing written.
    func write(_ bytes: [UInt8], as name: String) throws -> String {
        try Task.checkCancellation()
        do throws(SystemError) {
            try prepare()
            if try place(bytes, name) {
                names.insert(name)
                return path + name
            }
        } catch {
            throw Outcome.Failure(code: "cannotWrite", message: "Cannot write \(path + name): \(error.message).")
        }
        let hint =
            names.contains(name)
            ? "two pictures of this run have this name; --name with {hash} tells them apart."
            : "--force replaces it, --name chooses another name."
        throw Outcome.Failure(code: "fileExists", message: "\(path + name) holds something else; \(hint)")
    }

    private func prepare() throws(SystemError) {
        guard !isReady else { return }
        if !path.isEmpty { try Self.makeFolder(path) }
        Self.removeAbandonedFiles(in: path.isEmpty ? "./" : path)
        isReady = true
    }

    /// - Returns: `false` when there is a file with other bytes that must stay.
    private func place(_ bytes: [UInt8], _ name: String) throws(SystemError) -> Bool {
        let target = path + name
        switch try ExistingFile(target, comparedWith: bytes) {
        case .same: return true
        case .device: try Self.write(bytes, to: target, O_WRONLY)
        case .other where !overwrites || names.contains(name): return false
        case .none, .other:
            serial += 1
            let temporary = "\(path)\(Self.prefix)\(getpid())-\(serial)\(Self.suffix)"
            // The name of a file that was renamed is gone already.
            defer { unsafe unlink(temporary) }
            try Self.write(bytes, to: temporary, O_WRONLY | O_CREAT | O_EXCL)
            return try publish(temporary, as: target)
        }
        return true
    }

    private func publish(_ temporary: String, as target: String) throws(SystemError) -> Bool {
        if !overwrites {
            // A link is refused when another process has made the file meanwhile; a renamed file would replace it.
            if unsafe link(temporary, target) == 0 { return true }
            if errno == EEXIST { return false }
        }
        // Some file systems have no links.
        guard unsafe rename(temporary, target) == 0 else { throw .last }
        return true
    }

    private static func write(_ bytes: [UInt8], to path: String, _ flags: Int32) throws(SystemError) {
        let descriptor = unsafe open(path, flags | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .last }
        do throws(SystemError) {
            try StandardStream(descriptor: descriptor).write(bytes)
        } catch {
            close(descriptor)
            throw error
        }
        // Network file systems report a failed write here.
        guard close(descriptor) == 0 else { throw .last }
    }
}

// MARK: - Folders

extension OutputFolder {
    private static func makeFolder(_ path: String) throws(SystemError) {
        var end = path.startIndex
        repeat {
            end = path[end...].dropFirst().firstIndex(of: "/") ?? path.endIndex
            guard unsafe mkdir(String(path[..<end]), 0o777) == 0 || errno == EEXIST || isFolder(path[..<end]) else {
                throw .last
            }
        } while end < path.endIndex
        guard isFolder(path[...]) else { throw SystemError(number: ENOTDIR) }
    }

    /// - Throws: ``SystemError`` when a part of the path is there and is no folder.
    private static func checkFolder(_ path: String) throws(SystemError) {
        var part = path[...]
        while !part.isEmpty {
            if FileManager.default.fileExists(atPath: String(part)) {
                guard isFolder(part) else { throw SystemError(number: ENOTDIR) }
                return
            }
            part = part.lastIndex(of: "/").map { part[..<$0] } ?? ""
        }
    }

    private static func isFolder(_ path: Substring) -> Bool {
        let failure = errno
        defer { errno = failure }
        var status = stat()
        return unsafe stat(String(path), &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

// MARK: - Files of ended processes

extension OutputFolder {
    private static let prefix = ".fetch-"
    private static let suffix = ".part"

    private static func removeAbandonedFiles(in folder: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where isAbandoned(name) { unsafe unlink(folder + name) }
    }

    private static func isAbandoned(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix),
            let process = name.dropFirst(prefix.count).split(separator: "-").first.flatMap({ pid_t($0) }), process > 0
        else { return false }
        // Process numbers are reused. A file with the number of this process is an earlier one's, because this process
        // has written none yet.
        return process == getpid() || kill(process, 0) == -1 && errno == ESRCH
    }
}
