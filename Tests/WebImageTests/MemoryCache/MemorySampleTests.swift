// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import WebImage

/// What the files of a system say about memory, and what follows.
struct MemorySampleTests {
    private static let meminfo = "MemTotal:       1000 kB\nMemFree:  10 kB\nMemAvailable:    400 kB\n"
    private static let stalls = """
        some avg10=12.50 avg60=1.00 avg300=0.00 total=5
        full avg10=3.00 avg60=0.00 avg300=0.00 total=1

        """

    private func read(_ files: [String: String], limit: Int = 1_000) -> MemorySample {
        MemorySample.read(limit: limit, readFile: { files[$0] })
    }

    @Test func `the files of either version tell the pressure and the memory, and a system without them is calm`() {
        // Version 2 tells the pressure and the memory of the process's own group.
        let sample = read([
            "/proc/self/cgroup": "0::/web/app\n", "/proc/meminfo": Self.meminfo,
            "/proc/pressure/memory": "some avg10=99.00\nfull avg10=99.00\n",
            "/sys/fs/cgroup/web/app/memory.pressure": Self.stalls,
            "/sys/fs/cgroup/web/app/memory.stat": "anon 600\nfile 5000\nkernel 7\nshmem 50\n",
            "/sys/fs/cgroup/web/memory.stat": "anon 900\n",
        ])
        expectEqual(sample, .init(someStalled: 0.125, allStalled: 0.03, usedPart: 0.65, availablePart: 0.4, room: 150))
        expectEqual(sample.pressure, .warning)

        // Version 1, and a container whose group is not mounted.
        do {
            let sample = read([
                "/proc/self/cgroup": "5:cpu:/\n4:cpuacct,memory:/docker/abc\n", "/proc/pressure/memory": Self.stalls,
                "/sys/fs/cgroup/memory/memory.stat": "cache 1\nrss 2\ntotal_rss 940\ntotal_shmem 0\n",
            ])
            expectEqual(
                sample, .init(someStalled: 0.125, allStalled: 0.03, usedPart: 0.94, availablePart: nil, room: -140))
            expectEqual(sample.pressure, .critical)
        }

        // The room is that of the machine where the process's limit leaves more.
        let stat = [
            "/proc/self/cgroup": "0::/", "/sys/fs/cgroup/memory.stat": "anon 5\n", "/proc/meminfo": Self.meminfo,
        ]
        expectEqual(read(stat, limit: 1 << 40).room, 300 * 1_024)

        // A system without such files is calm.
        expectEqual(read([:]), MemorySample())
        expectEqual(MemorySample().pressure, .normal)
    }

    @Test(arguments: [
        "", "\n", "some", "some avg10=", "some avg10=nan", "some avg10=-1", "some avg10=1e999", "some avg10=101",
        "avg10=50 some", String(repeating: "some ", count: 1_000),
    ])
    func `a file with something else in it says nothing, and this system is read without a trap`(text: String) {
        // A file with something else in it says nothing.
        let sample = read([
            "/proc/self/cgroup": "0::/\n::\n0::\(text)", "/proc/pressure/memory": text, "/proc/meminfo": text,
            "/sys/fs/cgroup/memory.stat": "anon \(text)\n", "/sys/fs/cgroup/memory.pressure": text,
        ])
        expectNil(sample.someStalled)
        expectNil(sample.usedPart)
        expectNil(sample.availablePart)
        expectNil(read(["/proc/meminfo": "MemTotal: 0 kB\nMemAvailable: 0 kB\n"]).availablePart)
        let stat = ["/proc/self/cgroup": "0::/", "/sys/fs/cgroup/memory.stat": "anon 5\n"]
        expectNil(read(stat, limit: 0).usedPart)
        expectNil(read(stat, limit: .min).usedPart)

        // This system is read without a trap.
        do {
            let sample = MemorySample.current()
            for part in [sample.someStalled, sample.allStalled, sample.usedPart, sample.availablePart] {
                expect(part.map { $0 >= 0 } ?? true)
            }
            expect((sample.availablePart ?? 1), <=, 1)
        }
    }

    /// A sample, and its level.
    private static let levels: [(MemorySample, MemoryPressure)] = [
        (.init(someStalled: 0.09, allStalled: 0.04, usedPart: 0.79, availablePart: 0.11), .normal),
        (.init(someStalled: 0.1), .warning), (.init(usedPart: 0.8), .warning), (.init(availablePart: 0.1), .warning),
        (.init(allStalled: 0.05), .critical), (.init(usedPart: 0.9), .critical),
        (.init(availablePart: 0.05), .critical), (.init(someStalled: 0.1, usedPart: 0.95), .critical),
    ]

    @Test func `the highest value counts, and the level rises at once and falls a step at a time after calm samples`() {
        for (sample, level) in Self.levels { expectEqual(sample.pressure, level, "\(sample)") }
        var gauge = PressureGauge()
        gauge.note(.init(usedPart: 0.95))
        expectEqual(gauge.level, .critical)
        for _ in 1..<PressureGauge.calm { gauge.note(.init(usedPart: 0.5)) }
        expectEqual(gauge.level, .critical)
        gauge.note(.init(usedPart: 0.5))
        expectEqual(gauge.level, .warning)
        for _ in 1..<PressureGauge.calm { gauge.note(.init(usedPart: 0.5)) }
        gauge.note(.init(usedPart: 0.85))
        for _ in 1..<PressureGauge.calm { gauge.note(.init(usedPart: 0.5)) }
        expectEqual(gauge.level, .warning, "the calm was interrupted")
        gauge.note(.init(usedPart: 0.5))
        expectEqual(gauge.level, .normal)
    }
}
