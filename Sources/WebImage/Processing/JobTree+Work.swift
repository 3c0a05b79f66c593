// SPDX-License-Identifier: MIT
import ImageCoding

/// The order of the work of a job.
///
/// Depth first, so that pictures go early; at one picture ends before steps. Then by priority, by estimated cost, and
/// by arrival.
extension JobTree {
    /// What is next.
    ///
    /// - Returns: `nil` when the job is over, which is then closed, or has nothing to do until an announced load comes.
    mutating func next() -> Work? {
        current = nil
        guard let base, !isClosed, !outputs.isEmpty || isDecoded && !announced.isEmpty else {
            isClosed = true
            return nil
        }
        if isDecoded { return find(0) }
        current = .decode
        return .decode(base)
    }

    private mutating func find(_ node: Int) -> Work? {
        if case .made(let image) = nodes[node].pixels, let first = nodes[node].outputs.min(by: isCheaper) {
            let equal = nodes[node].outputs.filter { $0.end == first.end }
            current = .finish(equal)
            return .finish(node, equal, image, first.end)
        }
        let wanted = nodes[node].children.filter(isWanted).sorted(by: comesFirst)
        for child in wanted {
            if case .pending = nodes[child].pixels, case .made(let image) = nodes[node].pixels,
                let step = nodes[child].step
            {
                current = .step(child)
                return .transform(child, image, step)
            }
            if let work = find(child) { return work }
        }
        return nil
    }

    /// Keeps the base.
    ///
    /// - Returns: `false` when the decode was begun anew meanwhile.
    mutating func decoded(_ image: DecodedImage, _ base: JobBase) -> Bool {
        current = nil
        guard base == self.base else { return false }
        nodes[0].pixels = .made(image)
        return true
    }

    /// Keeps the picture of a node, and drops that of its parent when no other step reads it.
    mutating func made(_ node: Int, _ image: DecodedImage, took: Duration) {
        current = nil
        nodes[node].pixels = .made(image)
        guard let parent = parent(of: node) else { return }
        nodes[node].took = nodes[parent].took + took
        dropUnread(parent)
    }

    /// Notes that outputs were answered.
    mutating func finished(_ answered: [JobOutput]) {
        current = nil
        remove(answered)
        for node in nodes.indices { dropUnread(node) }
    }

    /// Takes out the outputs of a step that has failed, and of those after it.
    mutating func failed(_ node: Int) -> [JobOutput] {
        current = nil
        var (lost, rest): ([JobOutput], [Int]) = ([], [node])
        while let next = rest.popLast() {
            lost += nodes[next].outputs
            rest += nodes[next].children
            (nodes[next].outputs, nodes[next].children, nodes[next].pixels) = ([], [], .dropped)
        }
        remove(lost)
        return lost
    }

    /// The time of the transformers before a node.
    func took(before node: Int) -> Duration {
        parent(of: node).map { nodes[$0].took } ?? .zero
    }

    var isDecoded: Bool { !nodes.isEmpty && isBegun(0) }

    var isDecoding: Bool { if case .decode = current { true } else { false } }

    /// The bytes of the pictures that are there.
    var byteCount: Int {
        nodes.reduce(0) { if case .made(let image) = $1.pixels { $0 + image.byteCount } else { $0 } }
    }

    mutating func dropUnread(_ node: Int) {
        guard case .made = nodes[node].pixels, nodes[node].outputs.isEmpty, !isAnnounced(node) else { return }
        let isRead = nodes[node].children.contains { child in
            if case .pending = nodes[child].pixels { isWanted(child) } else { false }
        }
        if !isRead { nodes[node].pixels = .dropped }
    }

    /// Those that are begun first, then the more urgent, then the cheaper.
    func comesFirst(_ one: Int, _ other: Int) -> Bool {
        let (begun, otherBegun) = (isBegun(one), isBegun(other))
        if begun != otherBegun { return begun }
        let (priority, otherPriority) = (priority(one), priority(other))
        if priority != otherPriority { return priority > otherPriority }
        let (cost, otherCost) = (JobCost.work(self, below: one), JobCost.work(self, below: other))
        return cost == otherCost ? one < other : cost < otherCost
    }

    func isBegun(_ node: Int) -> Bool {
        if case .pending = nodes[node].pixels { false } else { true }
    }

    private func priority(_ node: Int) -> UInt8 {
        let own = nodes[node].outputs.map(\.priority).max() ?? 0
        return max(own, nodes[node].children.map(priority).max() ?? 0)
    }

    private func isCheaper(_ one: JobOutput, _ other: JobOutput) -> Bool {
        one.priority == other.priority
            ? JobCost.weight(of: one.end) < JobCost.weight(of: other.end) : one.priority > other.priority
    }
}
