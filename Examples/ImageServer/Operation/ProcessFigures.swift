// SPDX-License-Identifier: MIT
import HTTPTransport
import PlatformBasics

/// What the process uses now, by the names that Prometheus has for it; 0 where the system does not say.
struct ProcessFigures: Sendable {
    let residentByteCount: Int
    let processorSeconds: Double
    let descriptorCount: Int
    let descriptorLimit: Int

    init() {
        // The second number is that of resident pages.
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        residentByteCount = (pages?.dropFirst().first.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
        var usage = rusage()
        unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
        processorSeconds = [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1_000_000
        }
        var limit = rlimit()
        unsafe getrlimit(CInt(RLIMIT_NOFILE.rawValue), &limit)
        descriptorLimit = Int(clamping: limit.rlim_cur)
        descriptorCount = descriptorLimit - min(descriptorLimit, Descriptors.freeCount)
    }
}
