#if os(Linux)
import Glibc

/// The descriptors of the process, which sockets and files share.
enum Descriptors {
    /// How many more may be opened.
    /// - Complexity: O(*n*) in the number of open ones.
    static var freeCount: Int {
        var limit = rlimit()
        guard unsafe getrlimit(CInt(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
        // Without one for the folder there are none to count with.
        guard let folder = unsafe opendir("/proc/self/fd") else { return errno == EMFILE ? 0 : .max }
        defer { unsafe closedir(folder) }
        // The folder lists itself twice, and the descriptor that reads it, which is free again in a moment.
        var openCount = -3
        while unsafe readdir(folder) != nil { openCount += 1 }
        return max(0, Int(clamping: limit.rlim_cur) - openCount)
    }
}
#endif
