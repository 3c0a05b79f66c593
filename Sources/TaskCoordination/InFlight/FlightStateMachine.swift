// SPDX-License-Identifier: MIT
/// How one flight stands, and what follows from each thing that happens to it.
///
///               start()             land(), detach()
///     waiting ──────────► running ───────────────────► landed
///        │                   │      (waiting ► landed: the work was refused)
///        └─────────┬─────────┘
///       leave() of the last caller, cancelAll()
///                  ▼
///              abandoned
///
/// A pure value: it holds no lock and no task, and does nothing itself. Each step returns what ``Flight`` has to do once
/// its lock is released. A step that comes too late changes nothing.
///
/// Callers are opaque, so tests use numbers. Priorities are the raw values of `TaskPriority`.
@usableFromInline struct FlightStateMachine<Caller> {
    @usableFromInline enum Phase: Sendable { case waiting, running, landed, abandoned }

    /// The shared operation, which may return later than its flight ends.
    @usableFromInline enum Work: Sendable { case notBegun, running, detached, returned }

    /// What the flight has to do.
    @usableFromInline enum Action {
        case nothing
        /// Raise the task, or the place where the flight waits.
        case raise(to: UInt8)
        /// Tell this caller that it is cancelled. The flight goes on for the others.
        case dismiss(Caller)
        /// No caller waits any more: leave the table, cancel the task or give up the place, then tell these callers that
        /// they are cancelled.
        case abandon(ArrivalList<Caller>)
        /// The work is over: leave the table, then tell these callers its result.
        case deliver(ArrivalList<Caller>)
        /// The work goes on without the flight: leave the table, cancel the task, then tell these callers why.
        case release(ArrivalList<Caller>)
        /// The work of an abandoned flight is over.
        case unwound
        /// The work that went on without its flight is over.
        case returned
    }

    @usableFromInline var phase = Phase.waiting
    @usableFromInline var work = Work.notBegun
    @usableFromInline var priority: UInt8
    @usableFromInline var callers = ArrivalList<Caller>()
    @usableFromInline var reportCount = 0

    /// - Parameter priority: That of the first caller.
    @inlinable init(priority: UInt8) { self.priority = priority }

    @inlinable var isOver: Bool { phase == .landed || phase == .abandoned }
}

extension FlightStateMachine: Sendable where Caller: Sendable {}
extension FlightStateMachine.Action: Sendable where Caller: Sendable {}

// MARK: - What callers do

extension FlightStateMachine {
    /// A caller joins.
    ///
    /// - Returns: The number to leave with; `nil` when the flight is over and the caller needs another one.
    @inlinable mutating func join(_ caller: Caller) -> Int? { isOver ? nil : callers.append(caller) }

    /// A caller is cancelled. The step that takes the last caller out abandons the flight, so no caller can join in
    /// between.
    @inlinable mutating func leave(_ number: Int) -> Action {
        guard let caller = callers.remove(number) else { return .nothing }
        guard callers.isEmpty else { return .dismiss(caller) }
        phase = .abandoned
        return .abandon([caller])
    }

    /// Every caller is cancelled.
    @inlinable mutating func cancelAll() -> Action {
        if isOver { return .nothing }
        phase = .abandoned
        return .abandon(callers.removeAll())
    }

    /// More urgency is asked for. A priority never falls.
    @inlinable mutating func rise(to priority: UInt8) -> Action {
        guard priority > self.priority, !isOver else { return .nothing }
        self.priority = priority
        return .raise(to: priority)
    }
}

// MARK: - What the work does

extension FlightStateMachine {
    /// The flight gets its task.
    ///
    /// - Returns: The priority to run at; `nil` when the flight is over, and never runs.
    @inlinable mutating func start() -> UInt8? {
        guard phase == .waiting else { return nil }
        (phase, work) = (.running, .running)
        return priority
    }

    /// The task, or the place where the flight waits, is known from here on: what came before that is caught up.
    ///
    /// - Parameter priority: That of the task, or of the place.
    @inlinable func began(at priority: UInt8) -> Action {
        if phase == .abandoned || work == .detached { return .abandon([]) }
        return self.priority > priority && !isOver ? .raise(to: self.priority) : .nothing
    }

    /// The work tells how far it is.
    ///
    /// - Parameter number: That of a report passed on from another flight, which is dropped when a later one has come
    ///   before it; `nil` for a report of the flight's own.
    /// - Returns: The number of the report and the callers to tell; `nil` when it is dropped.
    @inlinable mutating func report(number: Int? = nil) -> (number: Int, callers: ArrivalList<Caller>)? {
        let number = number ?? reportCount + 1
        if isOver || number <= reportCount { return nil }
        reportCount = number
        return (number, callers)
    }

    /// The work has returned, or was refused before it began.
    @inlinable mutating func land() -> Action {
        guard work != .returned else { return .nothing }
        defer { work = .returned }
        if work == .detached { return .returned }
        if isOver { return .unwound }
        phase = .landed
        return .deliver(callers.removeAll())
    }

    /// The flight is to end although its work goes on.
    @inlinable mutating func detach() -> Action {
        guard work == .running else { return .nothing }
        work = .detached
        if !isOver { phase = .landed }
        return .release(callers.removeAll())
    }
}
