// SPDX-License-Identifier: MIT
import PlatformBasics

/// The memory that this process may use.
public enum MemoryBudget {
    /// The default cost limit of a memory cache, in bytes: 15 % of ``processLimit``, at most 768 MB.
    public static var defaultMaximumCost: Int { maximumCost(forProcessLimit: processLimit) }

    /// The default limit for pictures that are being made, in bytes: a third of ``processLimit``.
    public static var defaultMaximumProcessingByteCount: Int { max(1, processLimit / 3) }

    /// The default limit for what waits to be written to disk, in bytes: a sixteenth of ``processLimit``, at most 256
    /// MB.
    public static var defaultMaximumWriteByteCount: Int { min(max(1, processLimit / 16), 256 * 1_000_000) }

    /// The memory that this process may use, in bytes.
    ///
    /// The smallest limit of its control groups (version 2, then
    /// version 1), or else the machine's physical memory. Read once.
    ///
    /// - Source: Linux kernel documentation, `cgroup-v2.rst` (`memory.max`) and `cgroup-v1/memory.rst`.
    public static let processLimit = limit(
        physical: Int(clamping: ProcessInfo.processInfo.physicalMemory), readFile: contents(ofFile:))

    static func maximumCost(forProcessLimit limit: Int) -> Int {
        min(max(1, limit / 100 * 15), 768 * 1_000_000)
    }

    /// The smallest limit among the machine's memory and the control groups named in `/proc/self/cgroup`.
    static func limit(physical: Int, readFile: (String) -> String?) -> Int {
        var smallest = physical
        for group in groups(readFile) {
            // "max", and version 1's "no limit" of nearly 2^63, are no limit.
            let file = group.isVersion2 ? "memory.max" : "memory.limit_in_bytes"
            guard let text = readFile(group.folder + file), let limit = Int(text.prefix { $0.isNumber }) else {
                continue
            }
            if limit > 0 { smallest = min(smallest, limit) }
        }
        return smallest
    }

    /// The folders of the control groups named in `/proc/self/cgroup` that may limit memory, innermost first.
    ///
    /// Inside a container the named path is often not mounted, so the root of the hierarchy is among them. There it is
    /// the group of the container, so it counts as the process's own when no other folder has its files.
    static func groups(_ readFile: (String) -> String?) -> [(folder: String, isVersion2: Bool)] {
        var groups: [(folder: String, isVersion2: Bool)] = []
        for line in (readFile("/proc/self/cgroup") ?? "").split(separator: "\n") {
            // hierarchy-id:controllers:path
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            let isVersion2 = fields[1].isEmpty
            guard isVersion2 || fields[1].split(separator: ",").contains("memory") else { continue }
            let root = isVersion2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory"
            groups += ancestors(of: fields[2]).map { (root + $0, isVersion2) }
        }
        return groups
    }

    /// `/a/b` → `/a/b/`, `/a/`, `/`: the limits of a group's ancestors apply to it as well.
    private static func ancestors(of path: Substring) -> [String] {
        var folders = ["/"]
        for name in path.split(separator: "/") { folders.append((folders.last ?? "/") + name + "/") }
        return folders.reversed()
    }

    /// The first 4 KiB of a small text file, or `nil` when it cannot be read.
    static func contents(ofFile path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = unsafe max(0, read(descriptor, buffer.baseAddress, buffer.count))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
