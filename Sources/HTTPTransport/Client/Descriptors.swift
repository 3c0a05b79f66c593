// SPDX-License-Identifier: MIT
#if os(Linux)
internal import Dispatch
internal import Glibc

/// The descriptors of the process, which sockets and files share.
public enum Descriptors {
    /// The number of descriptors that may still be opened.
    /// - Complexity: O(*n*) in the number of open ones.
    public static var freeCount: Int {
        // When no descriptor is left for the folder, the answer is 0.
        guard let limit, let folder = unsafe opendir("/proc/self/fd") else { return errno == EMFILE ? 0 : .max }
        defer { unsafe closedir(folder) }
        // The folder lists `.` and `..`, and the descriptor that reads it, which is closed afterwards.
        var openCount = -3
        while unsafe readdir(folder) != nil { openCount += 1 }
        return max(0, Int(clamping: limit.rlim_cur) - openCount)
    }

    /// Lets the process open as many descriptors as it may, and opens those of Dispatch. A program calls it at its
    /// start.
    ///
    /// Dispatch opens a descriptor when a clock is first used, and ends the process when there is none left.
    /// - Parameter count: What the program needs at least, besides the six of Dispatch and what is open.
    /// - Returns: The number of descriptors that may still be opened.
    /// - Throws: ``HTTPError`` with code `.tooManyOpenFiles` when the process may not open so many; the message names
    ///   the number that `ulimit -n` must allow.
    @discardableResult
    public static func prepare(needing count: Int) async throws(HTTPError) -> Int {
        if var limit, limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            unsafe setrlimit(CInt(RLIMIT_NOFILE.rawValue), &limit)
        }
        let (free, wanted) = (freeCount, count + dispatchCount)
        guard free >= wanted else {
            let allowed = limit.map { Int(clamping: $0.rlim_cur) } ?? 0
            throw HTTPError(
                code: .tooManyOpenFiles,
                message:
                    "The process may open \(allowed) files, and needs \(allowed - free + wanted): raise the limit, "
                    + "for example with \"ulimit -n 1024\".")
        }
        let moment = Duration.nanoseconds(1)
        try? await Task.sleep(for: moment, clock: ContinuousClock())
        try? await Task.sleep(for: moment, clock: SuspendingClock())
        await withCheckedContinuation { waiter in
            DispatchQueue.global().asyncAfter(wallDeadline: .now()) { waiter.resume() }
        }
        return freeCount
    }

    /// Its epoll, its eventfd, three clocks, and one for signals.
    private static let dispatchCount = 6

    private static var limit: rlimit? {
        var limit = rlimit()
        return unsafe getrlimit(CInt(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit : nil
    }
}
#endif
