// SPDX-License-Identifier: MIT
import TestSupport

/// What happens to the callers of one key, and to the work that they ask for. Callers and operations have the number of
/// the caller that brings them.
enum FlightStep: Sendable, Equatable {
    case join(Int)
    /// The operation that a caller has brought begins.
    case start(Int)
    /// The operation has returned, and its flight is over.
    case land(Int)
    /// A caller has the value of an operation.
    case value(Int, of: Int)
    /// A caller has `CancellationError`.
    case cancelled(Int)
    /// The task of a caller is cancelled.
    case cancel(Int)
    case cancelAll
    /// A caller is refused, because the table is closed.
    case refused(Int)
    case close
}

/// A table of flights for one key, in which nothing happens at the same time.
struct FlightModel: SequentialModel {
    private struct Caller: Hashable {
        /// The operation whose flight it waits for; `nil` before and after its wait.
        var operation: Int?
        var hasJoined = false
        var isCancelled = false
        var isRefused = false
    }

    private struct Operation: Hashable {
        var isNeeded = false
        var hasStarted = false
        var hasLanded = false
    }

    /// The operation of the flight that can be joined.
    private var current: Int?
    private var callers: [Caller]
    private var operations: [Operation]
    private var isClosed = false

    init(callers count: Int) {
        callers = Array(repeating: Caller(), count: count)
        operations = Array(repeating: Operation(), count: count)
    }

    func after(_ step: FlightStep) -> [FlightModel] {
        var next = self
        guard next.take(step) else { return [] }
        // A caller that is cancelled before it has joined never does.
        if case .join(let caller) = step, callers[caller].isCancelled {
            var absent = self
            absent.callers[caller].hasJoined = true
            return [next, absent]
        }
        return [next]
    }

    /// - Returns: Whether the step may happen now.
    private mutating func take(_ step: FlightStep) -> Bool {
        switch step {
        case .join(let caller): join(caller)
        case .refused(let caller): return callers[caller].isRefused
        case .start(let operation):
            guard operations[operation].isNeeded, !operations[operation].hasStarted else { return false }
            operations[operation].hasStarted = true
        case .land(let operation):
            guard operations[operation].hasStarted else { return false }
            operations[operation].hasLanded = true
            if current == operation { current = nil }
        case .value(let caller, let operation):
            guard callers[caller].operation == operation, operations[operation].hasLanded else { return false }
            callers[caller].operation = nil
        case .cancelled(let caller): return leave(caller)
        case .cancel(let caller): callers[caller].isCancelled = true
        case .cancelAll:
            for caller in callers.indices where callers[caller].operation == current && current != nil {
                callers[caller].isCancelled = true
            }
            current = nil
        case .close: isClosed = true
        }
        return true
    }

    private mutating func join(_ caller: Int) {
        callers[caller].hasJoined = true
        callers[caller].isRefused = isClosed
        if isClosed { return }
        let operation = current ?? caller
        current = operation
        operations[operation].isNeeded = true
        callers[caller].operation = operation
    }

    private mutating func leave(_ caller: Int) -> Bool {
        guard callers[caller].isCancelled, callers[caller].hasJoined, !callers[caller].isRefused else { return false }
        let left = callers[caller].operation
        callers[caller].operation = nil
        // The last one to leave takes the flight out of the table.
        if left == current, !callers.contains(where: { $0.operation == left }) { current = nil }
        return true
    }
}
