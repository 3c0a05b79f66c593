import Foundation

/// The folder that pictures are written to. It never shows a partial picture.
///
/// **Isolation**: runs on a queue of its own, because files block.
actor OutputFolder {
    private let path: String
    private let executor = QueueExecutor("output")
    private var serial = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Creates the folder, and removes partial files of killed processes.
    init(_ path: String) throws(SystemError) {
        self.path = path.hasSuffix("/") ? path : path + "/"
        try Self.makeFolder(path)
        Self.removeAbandonedFiles(in: self.path)
    }

    /// Writes a file, and returns its path as the user would type it.
    ///
    /// - Throws: ``Outcome/Failure`` when the system refuses; `CancellationError`, with nothing written.
    func write(_ bytes: [UInt8], as name: String) throws -> String {
        try Task.checkCancellation()
        serial += 1
        let temporary = "\(path)\(Self.prefix)\(getpid())-\(serial)\(Self.suffix)"
        do throws(SystemError) {
            try Self.create(temporary, bytes)
            guard unsafe rename(temporary, path + name) == 0 else { throw .last }
        } catch {
            unsafe unlink(temporary)
            throw Outcome.Failure(code: "cannotWrite", message: "Cannot write \(path + name): \(error.message).")
        }
        return path + name
    }

    private static func create(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
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

    private static func isFolder(_ path: Substring) -> Bool {
        let failure = errno
        defer { errno = failure }
        var isFolder = ObjCBool(false)
        return unsafe FileManager.default.fileExists(atPath: String(path), isDirectory: &isFolder) && isFolder.boolValue
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
