// SPDX-License-Identifier: MIT
/// How short of memory the process and the machine are, at one instant.
///
/// Values that the system does not tell are `nil`.
public struct MemorySample: Sendable, Equatable {
    /// The part of the last ten seconds in which some tasks waited for memory, from 0 to 1.
    public var someStalled: Double?
    /// The part of the last ten seconds in which all tasks waited for memory, from 0 to 1.
    public var allStalled: Double?
    /// The part of the process's limit that is taken by memory which the system cannot take back by dropping files,
    /// from 0 to 1.
    public var usedPart: Double?
    /// The part of the machine's memory that is available, from 0 to 1.
    public var availablePart: Double?
    /// How many bytes more the process may take before memory counts as short; negative when it does.
    public var room: Int?

    /// Creates a sample.
    public init(
        someStalled: Double? = nil, allStalled: Double? = nil, usedPart: Double? = nil, availablePart: Double? = nil,
        room: Int? = nil
    ) {
        self.someStalled = someStalled
        self.allStalled = allStalled
        self.usedPart = usedPart
        self.availablePart = availablePart
        self.room = room
    }

    /// From here on, memory counts as short: the part of the limit that is used, and the part of the machine that is
    /// available.
    private static let shortage = (used: 0.8, available: 0.1)

    /// The level that the values stand for; the highest of them counts.
    ///
    /// `warning`: some tasks waited for a tenth of the time, four fifths of the limit are used, or a tenth of the
    /// machine is available. `critical`: all tasks waited for a twentieth of the time, nine tenths of the limit are
    /// used, or a twentieth of the machine is available.
    public var pressure: MemoryPressure {
        if (allStalled ?? 0) >= 0.05 || (usedPart ?? 0) >= 0.9 || (availablePart ?? 1) <= 0.05 { return .critical }
        if (someStalled ?? 0) >= 0.1 || (usedPart ?? 0) >= Self.shortage.used
            || (availablePart ?? 1) <= Self.shortage.available
        {
            return .warning
        }
        return .normal
    }
}

extension MemorySample {
    /// What the system says now.
    ///
    /// Reads the pressure of the process's control group, or else of the machine; the memory of the group against its
    /// limit; and the memory available on the machine. Where the system has no such files, nothing is known.
    ///
    /// - Complexity: Three small files, which the kernel makes in memory: some ten microseconds.
    /// - Source: Linux kernel documentation, `accounting/psi.rst`, `cgroup-v2.rst` (`memory.pressure`, `memory.stat`),
    ///   `cgroup-v1/memory.rst` (`memory.stat`), `filesystems/proc.rst` (`meminfo`).
    public static func current() -> MemorySample {
        read(limit: MemoryBudget.processLimit, readFile: MemoryBudget.contents(ofFile:))
    }

    /// Reads a sample from the files of a system.
    ///
    /// - Parameter limit: The memory that the process may use, in bytes.
    static func read(limit: Int, readFile: (String) -> String?) -> MemorySample {
        var sample = MemorySample()
        var stalls: String?
        // The innermost group that has the files is the process's own; its limit may be that of a group above.
        for group in MemoryBudget.groups(readFile) {
            if stalls == nil, group.isVersion2 { stalls = readFile(group.folder + "memory.pressure") }
            guard sample.usedPart == nil, limit > 0, let text = readFile(group.folder + "memory.stat") else { continue }
            let names = group.isVersion2 ? ["anon", "shmem"] : ["total_rss", "total_shmem"]
            let sizes = names.compactMap { number(after: $0, in: text) }
            if let first = sizes.first { sample.usedPart = (first + sizes.dropFirst().reduce(0, +)) / Double(limit) }
        }
        if let text = stalls ?? readFile("/proc/pressure/memory") {
            sample.someStalled = stall("some", in: text)
            sample.allStalled = stall("full", in: text)
        }
        if let text = readFile("/proc/meminfo"), let total = number(after: "MemTotal:", in: text), total > 0,
            let available = number(after: "MemAvailable:", in: text)
        {
            sample.availablePart = available / total
            sample.room = bytes((available - shortage.available * total) * 1_024)
        }
        if let usedPart = sample.usedPart {
            let room = bytes((shortage.used - usedPart) * Double(limit))
            sample.room = min(room, sample.room ?? .max)
        }
        return sample
    }

    /// A whole number, also where a file says what no machine has.
    private static func bytes(_ count: Double) -> Int { Int(min(max(count.rounded(), -1e18), 1e18)) }

    /// The number that follows a name at the beginning of a line.
    private static func number(after name: String, in text: String) -> Double? {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ", maxSplits: 2)
            guard fields.count > 1, fields[0] == name else { continue }
            return Double(fields[1]).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
        }
        return nil
    }

    /// `avg10=1.53` of a line, as a part.
    private static func stall(_ name: String, in text: String) -> Double? {
        for line in text.split(separator: "\n") where line.hasPrefix(name + " ") {
            for field in line.split(separator: " ") where field.hasPrefix("avg10=") {
                return Double(field.dropFirst(6)).flatMap { (0...100).contains($0) ? $0 / 100 : nil }
            }
        }
        return nil
    }
}
