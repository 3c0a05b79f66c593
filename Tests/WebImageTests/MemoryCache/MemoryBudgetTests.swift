// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import WebImage

struct MemoryBudgetTests {
    private let gigabyte = 1 << 30

    private func limit(_ files: [String: String]) -> Int {
        MemoryBudget.limit(physical: 8 * gigabyte) { files[$0] }
    }

    @Test func `the limit is that of the control groups of the process, in either version, or the machine's memory`() {
        // Without control groups the machine's memory is the limit.
        expectEqual(limit([:]), 8 * gigabyte)
        expectEqual(limit(["/proc/self/cgroup": "nonsense\n::\n"]), 8 * gigabyte)

        // In version 2 every ancestor group is a limit, also the mounted root.
        let group = ["/proc/self/cgroup": "0::/pod/app\n"]
        expectEqual(limit(group), 8 * gigabyte)
        expectEqual(limit(group.merging(["/sys/fs/cgroup/pod/app/memory.max": "max\n"]) { $1 }), 8 * gigabyte)
        expectEqual(limit(group.merging(["/sys/fs/cgroup/pod/memory.max": "1073741824\n"]) { $1 }), gigabyte)
        expectEqual(limit(group.merging(["/sys/fs/cgroup/memory.max": "536870912\n"]) { $1 }), gigabyte / 2)
        expectEqual(limit(group.merging(["/sys/fs/cgroup/memory.max": "0\n"]) { $1 }), 8 * gigabyte)

        // In version 1 only the memory hierarchy is read.
        do {
            let group = ["/proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/docker/abc\n"]
            let file = "/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes"
            expectEqual(limit(group.merging([file: "2147483648\n"]) { $1 }), 2 * gigabyte)
            expectEqual(limit(group.merging([file: "9223372036854771712\n"]) { $1 }), 8 * gigabyte)
            expectEqual(
                limit(group.merging(["/sys/fs/cgroup/memory/x/memory.limit_in_bytes": "1\n"]) { $1 }), 8 * gigabyte)
        }
    }

    @Test func `the default limit is 15 percent, with a maximum`() {
        expectEqual(MemoryBudget.maximumCost(forProcessLimit: 1_000_000_000), 150_000_000)
        expectEqual(MemoryBudget.maximumCost(forProcessLimit: .max), 768_000_000)
        expectEqual(MemoryBudget.maximumCost(forProcessLimit: 0), 1)
        expect((1...768_000_000).contains(MemoryBudget.defaultMaximumCost))
    }
}
