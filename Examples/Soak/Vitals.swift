import Foundation

/// What the process holds, as the kernel sees it.
struct Vitals {
    let descriptors: Int
    let threads: Int
    /// In bytes, what the allocator keeps for later included.
    let residentMemory: Int

    /// Takes the figures now.
    ///
    /// - Source: proc(5), `/proc/self/fd` and `/proc/self/status`.
    static func now() throws -> Vitals {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        func figure(_ name: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
            return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }
        // Reading the folder takes a descriptor, which is among those listed.
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count - 1
        return Vitals(
            descriptors: descriptors, threads: figure("Threads:"), residentMemory: figure("VmRSS:") << 10)
    }
}
