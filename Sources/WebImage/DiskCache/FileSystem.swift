// SPDX-License-Identifier: MIT
import CCacheShims
import PlatformBasics

/// The system calls that the disk cache makes, retried when a signal interrupts them.
///
/// Every call may block, so it belongs on threads that may block; see ``mayWait`` for the exception. Without an
/// injected fault a call costs one comparison with `nil` beside the system's work.
package struct FileSystem: Sendable {
    /// Called before every system call; tests make the N-th one fail.
    var fault: (@Sendable (Call) -> Fault?)?
    /// Whether the calls that read a file may wait for a device; otherwise those that would wait fail.
    var mayWait = true

    package init(fault: (@Sendable (Call) -> Fault?)? = nil, mayWait: Bool = true) {
        (self.fault, self.mayWait) = (fault, mayWait)
    }

    /// An open file, to be closed exactly once.
    package struct Descriptor: Sendable {
        let number: Int32
    }

    /// Opens a folder so that files in it can be opened by name. Use ``names(in:)`` to list it.
    ///
    /// - Parameter mayBeLink: Whether a link in the last component is followed.
    package func openFolder(_ path: String, mayBeLink: Bool) throws(SystemFailure) -> Descriptor {
        let flags = folderFlags | (mayBeLink ? 0 : O_NOFOLLOW)
        return Descriptor(number: try retry(.open) { unsafe systemOpen(AT_FDCWD, path, flags) })
    }

    /// Opens for reading; never follows a link, and never waits for a pipe's other end.
    package func openForReading(_ name: String, in folder: Descriptor) throws(SystemFailure) -> Descriptor {
        try open(name, in: folder, O_RDONLY | O_NONBLOCK)
    }

    /// Opens for reading if no device has to be asked for that. No part of the path may be a link.
    ///
    /// To open, to read and to close such a file does not block, where ``mayWait`` is `false`.
    func openInMemory(_ path: String) throws(SystemFailure) -> Descriptor {
        Descriptor(number: try retry(.openInMemory) { unsafe swi_open_in_memory(path) })
    }

    /// Opens an existing file for writing; never follows a link, and never waits for a pipe's other end.
    func openForWriting(_ name: String, in folder: Descriptor) throws(SystemFailure) -> Descriptor {
        try open(name, in: folder, O_WRONLY | O_NONBLOCK)
    }

    /// Opens for writing at the end, and creates the file when it is missing; never follows a link.
    func openForAppending(_ name: String, in folder: Descriptor) throws(SystemFailure) -> Descriptor {
        try open(name, in: folder, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK)
    }

    /// Creates a file, readable and writable by this user alone.
    ///
    /// Fails when the name is taken.
    package func createFile(_ name: String, in folder: Descriptor) throws(SystemFailure) -> Descriptor {
        try open(name, in: folder, O_WRONLY | O_CREAT | O_EXCL)
    }

    private func open(_ name: String, in folder: Descriptor, _ flags: Int32) throws(SystemFailure) -> Descriptor {
        let flags = flags | O_NOFOLLOW | O_CLOEXEC
        return Descriptor(number: try retry(.open) { unsafe systemOpen(folder.number, name, flags) })
    }

    /// Closes, also when a fault is injected: a failing `close` releases the descriptor all the same.
    package func close(_ descriptor: Descriptor) throws(SystemFailure) {
        let result = systemClose(descriptor.number)
        let number = errno
        if case .failure(let number) = fault?(.close) { throw SystemFailure(call: .close, errno: number) }
        if result != 0, number != EINTR { throw SystemFailure(call: .close, errno: number) }
    }

    /// Kind, size and identity of an open file.
    package func status(of descriptor: Descriptor) throws(SystemFailure) -> Status {
        var status = stat()
        _ = try retry(.status) { unsafe fstat(descriptor.number, &status) }
        return Status(status)
    }

    /// Kind, size and identity of what a name stands for; of a link itself, not of what it points to.
    package func status(of name: String, in folder: Descriptor) throws(SystemFailure) -> Status {
        var status = stat()
        _ = try retry(.status) { unsafe fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) }
        return Status(status)
    }

    /// Reads until `first`, and then `second`, is full or the file ends.
    ///
    /// - Returns: The number of bytes read.
    package func read(
        _ descriptor: Descriptor, into first: UnsafeMutableRawBufferPointer,
        then second: UnsafeMutableRawBufferPointer = unsafe .init(start: nil, count: 0)
    ) throws(SystemFailure) -> Int {
        let wanted = first.count + second.count
        var done = 0
        while done < wanted {
            let count = try retry(mayWait ? .read : .readInMemory, limit: wanted - done) { limit in
                let (start, next) = unsafe (
                    rest(UnsafeRawBufferPointer(first), done, limit),
                    rest(UnsafeRawBufferPointer(second), done - first.count, limit - max(0, first.count - done))
                )
                return mayWait
                    ? unsafe systemMove(readv, descriptor.number, start, next)
                    : unsafe swi_read_in_memory(
                        descriptor.number, start.iov_base, start.iov_len, next.iov_base, next.iov_len)
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Writes all of `bytes`, and then of `more`.
    package func write(_ bytes: [UInt8], then more: [UInt8] = [], to descriptor: Descriptor) throws(SystemFailure) {
        let wanted = bytes.count + more.count
        var done = 0
        while done < wanted {
            let count = try retry(.write, limit: wanted - done) { limit in
                unsafe bytes.withUnsafeBytes { first in
                    unsafe more.withUnsafeBytes { second in
                        unsafe systemMove(
                            writev, descriptor.number, rest(first, done, limit),
                            rest(second, done - first.count, limit - max(0, first.count - done)))
                    }
                }
            }
            guard count > 0 else { throw SystemFailure(call: .write, errno: EIO) }
            done += count
        }
    }

    /// A buffer without its first `done` bytes, and at most `limit` of the others.
    private func rest(_ buffer: UnsafeRawBufferPointer, _ done: Int, _ limit: Int) -> iovec {
        let start = min(max(0, done), buffer.count)
        let place = unsafe buffer.baseAddress.map { unsafe UnsafeMutableRawPointer(mutating: $0 + start) }
        return unsafe iovec(iov_base: place, iov_len: min(buffer.count - start, max(0, limit)))
    }

    /// Waits until the file's bytes are on the device.
    func synchronize(_ descriptor: Descriptor) throws(SystemFailure) {
        _ = try retry(.synchronize) { systemSynchronize(descriptor.number) }
    }

    /// Puts a file in the place of another, at once for all observers.
    package func rename(
        _ source: String, in folder: Descriptor, to target: String, in targetFolder: Descriptor
    ) throws(SystemFailure) {
        _ = try retry(.rename) { unsafe renameat(folder.number, source, targetFolder.number, target) }
    }

    /// Removes a file or link; with `isFolder` an empty folder.
    package func unlink(_ name: String, in folder: Descriptor, isFolder: Bool = false) throws(SystemFailure) {
        _ = try retry(.unlink) { unsafe unlinkat(folder.number, name, isFolder ? AT_REMOVEDIR : 0) }
    }

    /// Creates one folder for this user alone.
    ///
    /// Does nothing when it exists.
    func makeFolder(_ path: String) throws(SystemFailure) {
        do throws(SystemFailure) {
            _ = try retry(.makeFolder) { unsafe mkdir(path, 0o700) }
        } catch {
            guard error.errno == EEXIST else { throw error }
        }
    }

    /// Runs a call until no signal interrupts it.
    func retry(_ call: Call, _ body: () -> Int32) throws(SystemFailure) -> Int32 {
        Int32(truncatingIfNeeded: try retry(call, limit: .max) { _ in Int(body()) })
    }

    private func retry(_ call: Call, limit: Int, _ body: (Int) -> Int) throws(SystemFailure) -> Int {
        while true {
            var limit = limit
            switch fault?(call) {
            case .failure(let number): throw SystemFailure(call: call, errno: number)
            case .short(let most): limit = min(limit, max(1, most))
            case nil: break
            }
            let result = body(limit)
            if result >= 0 { return result }
            let number = errno
            if number != EINTR { throw SystemFailure(call: call, errno: number) }
        }
    }
}

// The C functions, where a method of the same name hides them.
@unsafe private func systemOpen(_ folder: Int32, _ path: String, _ flags: Int32) -> Int32 {
    unsafe openat(folder, path, flags, 0o600)
}
private func systemClose(_ number: Int32) -> Int32 { close(number) }
/// Reads into two buffers, or writes from them.
@unsafe private func systemMove(
    _ call: (Int32, UnsafePointer<iovec>?, Int32) -> Int, _ number: Int32, _ first: iovec, _ second: iovec
) -> Int {
    unsafe withUnsafePointer(to: (first, second)) { parts in
        unsafe parts.withMemoryRebound(to: iovec.self, capacity: 2) { unsafe call(number, $0, 2) }
    }
}
private func systemSynchronize(_ number: Int32) -> Int32 {
    #if canImport(Darwin)
    fsync(number)
    #else
    fdatasync(number)
    #endif
}

/// The flags for opening a folder: for its path alone where the system has that, which also costs least.
///
/// - Source: Linux, `include/uapi/asm-generic/fcntl.h`, O_PATH, which the module map leaves out.
private let folderFlags: Int32 = {
    #if canImport(Darwin)
    O_RDONLY | O_DIRECTORY | O_CLOEXEC
    #else
    0o10_000_000 | O_DIRECTORY | O_CLOEXEC
    #endif
}()
