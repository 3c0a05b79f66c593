// SPDX-License-Identifier: MIT
#if os(Linux)
import Glibc

/// The descriptors of the process, which sockets and files share.
enum Descriptors {
    /// The number of descriptors that may still be opened.
    /// - Complexity: O(*n*) in the number of open ones.
    static var freeCount: Int {
        var limit = rlimit()
        guard unsafe getrlimit(CInt(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
        // When no descriptor is left for the folder, the answer is 0.
        guard let folder = unsafe opendir("/proc/self/fd") else { return errno == EMFILE ? 0 : .max }
        defer { unsafe closedir(folder) }
        // The folder lists `.` and `..`, and the descriptor that reads it, which is closed afterwards.
        var openCount = -3
        while unsafe readdir(folder) != nil { openCount += 1 }
        return max(0, Int(clamping: limit.rlim_cur) - openCount)
    }
}
#endif
