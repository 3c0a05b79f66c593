// SPDX-License-Identifier: MIT
import Foundation

/// The resources of the process, as the kernel counts them.
struct Vitals {
    let descriptors: Int
    /// Without the threads of the runtime's own pool, which it starts and ends itself and names after their priority.
    let threads: Int
    /// In bytes, including memory that the allocator keeps.
    let residentMemory: Int

    /// Reads the present figures.
    ///
    /// - Source: proc(5), `/proc/self/fd`, `/proc/self/task` and `/proc/self/status`.
    static func now() throws -> Vitals {
        let threads = try names(in: "task").filter { thread in
            // A thread may end between the listing and this read.
            let name = try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
            return name.map { !$0.contains("-qos") } ?? false
        }
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let resident = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }?.filter(\.isNumber)
        // The descriptor that reads the folder is among those listed.
        return Vitals(
            descriptors: try names(in: "fd").count - 1, threads: threads.count,
            residentMemory: (resident.flatMap { Int($0) } ?? 0) << 10)
    }

    private static func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)")
    }
}
