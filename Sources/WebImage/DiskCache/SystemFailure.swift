/// A system call that failed.
struct SystemFailure: Error, Hashable {
    var call: FileSystem.Call
    var errno: Int32
}

extension FileSystem {
    /// The system calls of the disk cache, as steps that a test can make fail.
    enum Call: String, Sendable, CaseIterable {
        case open, status, read, write, synchronize, close, rename, unlink, makeFolder, list, lock, duplicate
    }

    /// A fault that a test injects instead of, or before, the system call.
    enum Fault: Sendable {
        /// The call fails with this error number and has no effect.
        case failure(Int32)
        /// A read or write moves at most this many bytes.
        case short(Int)
    }
}
