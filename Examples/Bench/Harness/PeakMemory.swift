// SPDX-License-Identifier: MIT
import CBenchBaselines
import Foundation

/// The most memory that a piece of work takes, as the kernel counts it.
enum PeakMemory {
    /// Makes large blocks go when they are freed. Otherwise the allocator keeps some of them, which `bench_trim` cannot
    /// take, and a later piece of work seems to take less. To be called before anything is measured.
    static func prepare() { bench_map_large_blocks() }

    /// `body` runs once: a second run would find the memory that the first has left to the allocator.
    ///
    /// - Returns: Bytes of resident memory beyond those of before.
    static func of(_ body: () async throws -> Void) async throws -> Double {
        // What the allocator has kept would hide what the work takes.
        bench_trim()
        try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
        let before = try reading("VmRSS:")
        try await body()
        return Double(try reading("VmHWM:") - before)
    }

    private static func reading(_ name: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        guard let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Failure("the kernel does not tell \(name)")
        }
        return kilobytes * 1_024
    }
}
