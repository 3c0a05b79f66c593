// SPDX-License-Identifier: MIT
import TestSupport

/// What happens to callers that want a slot, each with the number of its caller.
enum SlotStep: Sendable, Equatable {
    case ask(Int, priority: UInt8)
    case enter(Int)
    case exit(Int)
    /// A caller has `CancellationError`.
    case cancelled(Int)
    /// A caller is refused, because too many wait, or because the slots are closed.
    case refused(Int, isClosed: Bool)
    /// The task of a caller is cancelled.
    case cancel(Int)
    case limit(Int)
    case close
    /// What the slots say of themselves.
    case running(Int)
    case queued(Int)
}

/// Slots in which nothing happens at the same time.
struct SlotsModel: SequentialModel {
    private enum Standing: Hashable {
        case outside
        case waiting(priority: UInt8, turn: Int)
        case granted, inside, gone
        case refused(isClosed: Bool)

        var holdsSlot: Bool { self == .granted || self == .inside }
        var isWaiting: Bool { if case .waiting = self { true } else { false } }
    }

    private var limit: Int
    private let capacity: Int
    private var callers: [Standing]
    private var cancelled: Set<Int> = []
    private var isClosed = false
    private var lastTurn = 0

    /// - Parameter capacity: How many may wait.
    init(callers count: Int, limit: Int, capacity: Int) {
        callers = Array(repeating: .outside, count: count)
        (self.limit, self.capacity) = (limit, capacity)
    }

    private var runningCount: Int { callers.count { $0.holdsSlot } }
    private var waitingCount: Int { callers.count { $0.isWaiting } }

    func after(_ step: SlotStep) -> [SlotsModel] {
        var next = self
        guard next.take(step) else { return [] }
        next.serve()
        // A caller that is cancelled before it has asked never does.
        if case .ask(let caller, _) = step, cancelled.contains(caller) {
            var absent = self
            absent.callers[caller] = .gone
            return [next, absent]
        }
        return [next]
    }

    /// - Returns: Whether the step may happen now.
    private mutating func take(_ step: SlotStep) -> Bool {
        switch step {
        case .ask(let caller, let priority): ask(caller, priority)
        case .enter(let caller):
            guard callers[caller] == .granted else { return false }
            callers[caller] = .inside
        case .exit(let caller):
            guard callers[caller] == .inside else { return false }
            callers[caller] = .gone
        case .cancelled(let caller):
            let isBefore = callers[caller].isWaiting || [.granted, .gone].contains(callers[caller])
            guard cancelled.contains(caller), isBefore else { return false }
            callers[caller] = .gone
        case .refused(let caller, let isClosed): return callers[caller] == .refused(isClosed: isClosed)
        case .cancel(let caller): cancelled.insert(caller)
        case .limit(let limit): self.limit = limit
        case .close:
            isClosed = true
            for caller in callers.indices where callers[caller].isWaiting { callers[caller] = .refused(isClosed: true) }
        case .running(let count): return runningCount == count
        case .queued(let count): return waitingCount == count
        }
        return true
    }

    private mutating func ask(_ caller: Int, _ priority: UInt8) {
        let isFree = runningCount < limit && waitingCount == 0
        if isClosed {
            callers[caller] = .refused(isClosed: true)
        } else if isFree {
            callers[caller] = .granted
        } else if waitingCount >= capacity {
            callers[caller] = .refused(isClosed: false)
        } else {
            lastTurn += 1
            callers[caller] = .waiting(priority: priority, turn: lastTurn)
        }
    }

    /// The most urgent waiter goes first, and among those the one that came first.
    private mutating func serve() {
        while runningCount < limit {
            var first: (caller: Int, priority: UInt8, turn: Int)?
            for (caller, standing) in callers.enumerated() {
                guard case .waiting(let priority, let turn) = standing else { continue }
                if let best = first, (best.priority, -best.turn) > (priority, -turn) { continue }
                first = (caller, priority, turn)
            }
            guard let first else { return }
            callers[first.caller] = .granted
        }
    }
}
