// SPDX-License-Identifier: MIT
/// How one flight stands, and what follows from each thing that happens to it.
///
///     waiting ─ start() ─► running ─ land() ─► landed; last leave(), cancelAll() ─► abandoned ─ land() ─► landed
///
/// Work that is refused lands without having run. A pure value: it holds no lock and no task, and does nothing itself.
/// Each step returns what ``Flight`` has to do once its lock is released. A step that comes too late changes nothing.
///
/// Its priority is that of its most urgent caller. Where it waits it also sinks; its task only rises.
///
/// Callers are opaque, so tests use numbers. Priorities are the raw values of `TaskPriority`.
@usableFromInline struct FlightStateMachine<Caller> {
    /// A caller, and the priority that it asks for.
    @usableFromInline struct Entry {
        @usableFromInline let caller: Caller
        @usableFromInline var priority: UInt8

        @inlinable init(_ caller: Caller, _ priority: UInt8) { (self.caller, self.priority) = (caller, priority) }
    }

    @usableFromInline enum Phase: Sendable { case waiting, running, abandoned, landed }

    /// What the flight has to do.
    @usableFromInline enum Action {
        case nothing
        /// Raise the task, or move the flight to this priority where it waits.
        case move(to: UInt8)
        /// Tell this caller that it is cancelled. The flight goes on for the others, at this priority if it is another
        /// one.
        case dismiss(Caller, sinkingTo: UInt8?)
        /// No caller waits any more: leave the table, cancel the task or give up the place, then tell these callers
        /// that they are cancelled.
        case abandon(ArrivalList<Entry>)
        /// The work is over: leave the table, then tell these callers its result. An abandoned flight has none.
        case deliver(ArrivalList<Entry>)
    }

    @usableFromInline var phase = Phase.waiting
    @usableFromInline var priority: UInt8
    /// What was asked for by other code than callers. It stays.
    @usableFromInline var floor: UInt8 = 0
    @usableFromInline var callers = ArrivalList<Entry>()
    @usableFromInline var reportCount = 0

    /// - Parameter priority: That of the first caller.
    @inlinable init(priority: UInt8) { self.priority = priority }

    @inlinable var isOver: Bool { phase == .landed || phase == .abandoned }
}

extension FlightStateMachine: Sendable where Caller: Sendable {}
extension FlightStateMachine.Entry: Sendable where Caller: Sendable {}
extension FlightStateMachine.Action: Sendable where Caller: Sendable {}

// MARK: - What callers do

extension FlightStateMachine {
    /// A caller joins. ``rise(to:)`` must follow.
    ///
    /// - Returns: The number to leave with; `nil` when the flight is over and the caller needs another one.
    @inlinable mutating func join(_ caller: Caller, _ priority: UInt8) -> Int? {
        isOver ? nil : callers.append(Entry(caller, priority))
    }

    /// A caller is cancelled. The step that takes the last caller out abandons the flight, so no caller can join in
    /// between.
    ///
    /// - Complexity: O(log n) for one of n callers; O(n) for the only one of the highest priority.
    @inlinable mutating func leave(_ number: Int) -> Action {
        guard let left = callers.remove(number) else { return .nothing }
        guard callers.isEmpty else { return .dismiss(left.caller, sinkingTo: follow(left.priority, 0)) }
        phase = .abandoned
        return .abandon([left])
    }

    /// A caller asks for another priority.
    @inlinable mutating func move(_ number: Int, to priority: UInt8) -> Action {
        guard let before = callers[number]?.priority else { return .nothing }
        callers[number]?.priority = priority
        return follow(before, priority).map { .move(to: $0) } ?? .nothing
    }

    /// A caller asks for more urgency.
    @inlinable mutating func raise(_ number: Int, to priority: UInt8) -> Action {
        guard let before = callers[number]?.priority, before < priority else { return .nothing }
        return move(number, to: priority)
    }

    /// Follows a caller that asked for one priority, and now for another.
    ///
    /// - Returns: The priority of the flight, if it has changed.
    @inlinable mutating func follow(_ before: UInt8, _ now: UInt8) -> UInt8? {
        var next = max(priority, now)
        if before == priority, now < before { next = callers.reduce(floor) { max($0, $1.priority) } }
        guard next != priority else { return nil }
        priority = next
        return next
    }

    /// Every caller is cancelled.
    @inlinable mutating func cancelAll() -> Action {
        if isOver { return .nothing }
        phase = .abandoned
        return .abandon(callers.removeAll())
    }

    /// A caller has joined with this priority.
    @inlinable mutating func rise(to priority: UInt8) -> Action {
        guard priority > self.priority, !isOver else { return .nothing }
        self.priority = priority
        return .move(to: priority)
    }

    /// More urgency is asked for, whichever callers are left.
    @inlinable mutating func hold(at priority: UInt8) -> Action {
        floor = max(floor, priority)
        return rise(to: priority)
    }
}

// MARK: - What the work does

extension FlightStateMachine {
    /// The flight gets its task.
    ///
    /// - Returns: The priority to run at; `nil` when the flight is over, and never runs.
    @inlinable mutating func start() -> UInt8? {
        guard phase == .waiting else { return nil }
        phase = .running
        return priority
    }

    /// The task, or the place where the flight waits, is known from here on: what came before that is caught up.
    ///
    /// - Parameter priority: That of the task, or of the place.
    @inlinable func began(at priority: UInt8) -> Action {
        if phase == .abandoned { return .abandon([]) }
        return self.priority != priority && !isOver ? .move(to: self.priority) : .nothing
    }

    /// The work tells how far it is.
    ///
    /// - Returns: The number of the report, from 1, and the callers to tell; `nil` when it is dropped.
    @inlinable mutating func report() -> (number: Int, callers: ArrivalList<Entry>)? {
        if isOver { return nil }
        reportCount += 1
        return (reportCount, callers)
    }

    /// The work has returned, or was refused before it began.
    @inlinable mutating func land() -> Action {
        if phase == .landed { return .nothing }
        phase = .landed
        return .deliver(callers.removeAll())
    }
}
