// SPDX-License-Identifier: MIT
import ImageCoding

/// What one job has made, and what is next: a tree of pictures, from the base to the last transformer of each chain.
///
/// A pure value without tasks or locks, so that the whole policy can be tested as arithmetic. ``JobRun`` does what it
/// says.
struct JobTree {
    /// What is to be done next.
    enum Work {
        case decode(JobBase)
        /// Makes the picture of a node from that of its parent.
        case transform(Int, DecodedImage, any ImageTransforming)
        /// Answers outputs of a node with its picture, encoded unless there is no format.
        case finish(Int, [JobOutput], DecodedImage, OutputFormat?)
    }

    enum Joining { case refused, joined, restarted }

    enum Leaving { case nothing, endsStep, endsJob }

    enum Pixels {
        case pending
        case made(DecodedImage)
        case dropped
    }

    /// A picture on the way. The first is the base, whose outputs want it as it is.
    struct Node {
        var step: (any ImageTransforming)?
        let key: String
        let size: PixelSize
        var pixels = Pixels.pending
        /// The time of the transformers up to here.
        var took = Duration.zero
        var outputs: [JobOutput] = []
        var children: [Int] = []
        /// The wishes of announced loads that will want it: it is kept for them.
        var announced: Set<ObjectIdentifier> = []
    }

    enum Current {
        case decode
        case step(Int)
        case finish([JobOutput])
    }

    /// `nil` before the plan.
    var base: JobBase?
    var nodes: [Node] = []
    /// Those without an answer, in the order of their arrival.
    var outputs: [JobOutput]
    /// What loads will want that have said they will come, and have not come yet.
    var announced: [JobOutput] = []
    var current: Current?
    private var restarts = 0
    /// Whether sizes of the original come one after the other.
    private var leavesRoom: Bool
    private var joins = 0
    private var original = PixelSize(width: 1, height: 1)
    private var hasBudget = false
    private var leavesAnimation = false
    var isClosed = false

    /// How many outputs a job has at a time. The others of the original have another one.
    static let maximumOutputCount = 64
    /// How many outputs may join after the plan. A job that is joined for ever would keep its thread.
    private static let maximumJoinCount = 16
    private static let maximumRestartCount = 2

    /// - Parameter isFirst: Whether no other job of the original is under way.
    init(_ first: JobOutput, isFirst: Bool = true) { (outputs, leavesRoom) = ([first], !isFirst) }
}

// MARK: - Joining and leaving

extension JobTree {
    /// - Parameter isHalfDone: Whether half of the decode is done; called only when a larger base is needed.
    mutating func join(_ output: JobOutput, isHalfDone: () -> Bool) -> Joining {
        guard !isClosed, outputs.count < Self.maximumOutputCount else { return .refused }
        guard let base else {
            outputs.append(output)
            return .joined
        }
        guard joins < Self.maximumJoinCount else { return .refused }
        if base.serves(output) {
            guard let node = insert(output, base) else { return .refused }
            nodes[node].outputs.append(output)
            outputs.append(output)
            // Those that were announced belong to the plan.
            if !removeAnnounced(output.wish) { joins += 1 }
            return .joined
        }
        if isDecoded { return .refused }
        if isDecoding {
            guard restarts < Self.maximumRestartCount, !isHalfDone() else { return .refused }
            restarts += 1
            // Until it begins anew, the base may grow.
            current = nil
        }
        outputs.append(output)
        announced.removeAll { $0.wish == output.wish }
        joins += 1
        leavesRoom = true
        build(newBase(for: outputs))
        return .restarted
    }

    /// Takes an output out that waits no longer.
    mutating func leave(_ output: JobOutput) -> Leaving {
        remove([output])
        if outputs.isEmpty, !isDecoded || announced.isEmpty {
            isClosed = true
            return .endsJob
        }
        switch current {
        case .step(let node): return isWanted(node) ? .nothing : .endsStep
        case .finish(let finished): return finished.contains(where: isPending) ? .nothing : .endsStep
        case .decode, nil: return .nothing
        }
    }

    /// Takes out outputs that have an answer.
    mutating func remove(_ answered: [JobOutput]) {
        outputs.removeAll { output in answered.contains { $0 === output } }
        for node in nodes.indices {
            nodes[node].outputs.removeAll { output in answered.contains { $0 === output } }
        }
    }

    /// A load that was announced will not come.
    ///
    /// - Returns: Whether the job has nothing to wait for any more.
    mutating func forget(_ wish: ObjectIdentifier) -> Bool {
        guard removeAnnounced(wish), announced.isEmpty, outputs.isEmpty else { return false }
        isClosed = true
        return true
    }

    mutating func removeAnnounced(_ wish: ObjectIdentifier?) -> Bool {
        guard let wish, let place = announced.firstIndex(where: { $0.wish == wish }) else { return false }
        announced.remove(at: place)
        for node in nodes.indices where nodes[node].announced.remove(wish) != nil { dropUnread(node) }
        return true
    }

    /// Whether a load will come for a picture, or for one that is made of it.
    func isAnnounced(_ node: Int) -> Bool {
        !nodes[node].announced.isEmpty || nodes[node].children.contains(where: isAnnounced)
    }

    func isPending(_ output: JobOutput) -> Bool { outputs.contains { $0 === output } }

    /// The only output, when no other one is expected.
    var onlyOutput: JobOutput? { outputs.count == 1 && announced.isEmpty ? outputs[0] : nil }

    /// Refuses later outputs.
    ///
    /// - Returns: The outputs that are left.
    mutating func close() -> [JobOutput] {
        isClosed = true
        defer { outputs = [] }
        return outputs
    }

    /// Refuses later outputs, if nothing is left to do.
    mutating func closeIfDone() -> Bool {
        isClosed = isClosed || outputs.isEmpty && announced.isEmpty
        return isClosed
    }

    /// Whether a picture is wanted, or one that is made of it.
    func isWanted(_ node: Int) -> Bool {
        !nodes[node].outputs.isEmpty || nodes[node].children.contains(where: isWanted)
    }
}

// MARK: - The plan

extension JobTree {
    /// Chooses the base for all that have come, and for those that have said they will.
    ///
    /// - Parameter leavesAnimation: Whether the original is an animation that transformers do not change.
    mutating func plan(
        for others: [JobOutput], of original: PixelSize, hasBudget: Bool, leavesAnimation: Bool = false
    ) {
        guard base == nil, !outputs.isEmpty else { return }
        (self.original, self.hasBudget, self.leavesAnimation) = (original, hasBudget, leavesAnimation)
        let absent = others.filter { other in !outputs.contains { $0.wish == other.wish } }
        announced = Array(absent.prefix(Self.maximumOutputCount))
        build(newBase(for: outputs + announced))
    }

    /// Takes out the output that needs most, because all together take too much; first those that are announced.
    mutating func dropDearest() -> [JobOutput] {
        var dropped: [JobOutput] = []
        if announced.isEmpty {
            func base(_ output: JobOutput) -> Int {
                JobBase(for: [output], of: original, hasBudget: hasBudget).size.pixelCount
            }
            dropped = outputs.max { base($0) < base($1) }.map { [$0] } ?? []
        }
        (announced, leavesRoom) = ([], false)
        remove(dropped)
        if !isDecoded, !outputs.isEmpty { build(newBase(for: outputs)) }
        return dropped
    }

    private func newBase(for outputs: [JobOutput]) -> JobBase {
        JobBase(
            for: outputs, of: original, hasBudget: hasBudget, leavesAnimation: leavesAnimation, leavesRoom: leavesRoom)
    }

    /// Plans anew with the base of an animation that transformers do not change, when the header did not show it.
    mutating func leaveAnimation() {
        guard var base, !leavesAnimation else { return }
        let pixels = nodes[0].pixels
        (leavesAnimation, base.leavesAnimation) = (true, true)
        build(base)
        nodes[0].pixels = pixels
    }

    private mutating func build(_ base: JobBase) {
        self.base = base
        nodes = [Node(step: nil, key: "", size: base.size)]
        for output in outputs {
            if let node = insert(output, base) { nodes[node].outputs.append(output) }
        }
        for output in announced {
            if base.serves(output), let wish = output.wish,
                let node = insert(output, base, isPrepared: false)
            {
                nodes[node].announced.insert(wish)
            }
        }
    }

    /// Walks down the steps that the tree has, and adds the others.
    ///
    /// - Parameter isPrepared: Whether its transformers can run.
    /// - Returns: The node of the picture; `nil` when the picture to begin with is there no longer.
    private mutating func insert(_ output: JobOutput, _ base: JobBase, isPrepared: Bool = true) -> Int? {
        var (node, rest) = (0, base.steps(of: output)[...])
        while let step = rest.first, let child = child(of: node, step.key) {
            (node, rest) = (child, rest.dropFirst())
            // A load that was announced had not prepared its transformers.
            if isPrepared, !isBegun(node) { nodes[node].step = step }
        }
        guard canBeMade(node) else { return nil }
        for step in rest {
            let next = nodes.count
            nodes.append(Node(step: step, key: step.key, size: step.resultSize(for: nodes[node].size)))
            nodes[node].children.append(next)
            node = next
        }
        return node
    }

    private func child(of node: Int, _ key: String) -> Int? {
        nodes[node].children.first { child in
            nodes[child].key.utf8.elementsEqual(key.utf8) && (!isDropped(child) || !nodes[child].children.isEmpty)
        }
    }

    /// Whether a picture is there, or one that it is made of.
    private func canBeMade(_ node: Int) -> Bool {
        switch nodes[node].pixels {
        case .made: true
        case .dropped: false
        case .pending: parent(of: node).map(canBeMade) ?? true
        }
    }

    func parent(of node: Int) -> Int? { nodes.firstIndex { $0.children.contains(node) } }

    func isDropped(_ node: Int) -> Bool {
        if case .dropped = nodes[node].pixels { true } else { false }
    }
}
