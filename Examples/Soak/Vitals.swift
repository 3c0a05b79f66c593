import Foundation

/// What the process holds, as the kernel sees it.
struct Vitals {
    let descriptors: Int
    /// Without those of the runtime's own pool, which come and go as it likes and are named after their priority.
    let threads: Int
    /// In bytes, what the allocator keeps for later included.
    let residentMemory: Int

    /// Takes the figures now.
    ///
    /// - Source: proc(5), `/proc/self/fd`, `/proc/self/task` and `/proc/self/status`.
    static func now() throws -> Vitals {
        let threads = try names(in: "task").filter { thread in
            // A thread may end between the listing and the look.
            let name = try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
            return name.map { !$0.contains("-qos") } ?? false
        }
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let resident = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }?.filter(\.isNumber)
        // Reading the folder takes a descriptor, which is among those listed.
        return Vitals(
            descriptors: try names(in: "fd").count - 1, threads: threads.count,
            residentMemory: (resident.flatMap { Int($0) } ?? 0) << 10)
    }

    private static func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)")
    }
}
