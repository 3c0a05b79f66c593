// SPDX-License-Identifier: MIT
import Foundation

/// The memory of this process that is in use.
enum ResidentMemory {
    /// In bytes; 0 where the system does not tell.
    static var byteCount: Int {
        let sizes = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (sizes.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }
}
