// SPDX-License-Identifier: MIT
/// Work that is counted, and the tasks that wait until there is none.
///
/// A value, kept in the actor or under the lock that also guards what is counted, so that a count and the end of a wait
/// are one step.
@usableFromInline package struct WorkCount: Sendable {
    @usableFromInline var count = 0
    @usableFromInline var waiting: [OneShot<Void>] = []

    @inlinable package init() {}

    /// How much work goes on.
    @inlinable package var value: Int { count }

    /// How many tasks wait.
    package var waiterCount: Int { waiting.count }

    @inlinable package mutating func begin(_ amount: Int = 1) { count += amount }

    /// Work has ended.
    ///
    /// - Returns: The tasks whose wait is over. To be resumed once the lock is released.
    @inlinable package mutating func end(_ amount: Int = 1) -> [OneShot<Void>] {
        count -= amount
        return count == 0 ? takeWaiting() : []
    }

    /// Begins to wait.
    ///
    /// - Returns: What to await; `nil` when nothing goes on.
    package mutating func untilIdle() -> OneShot<Void>? {
        if count == 0 { return nil }
        let end = OneShot<Void>()
        waiting.append(end)
        return end
    }

    /// Gives up what is waited for.
    @inlinable package mutating func takeWaiting() -> [OneShot<Void>] {
        if waiting.isEmpty { return [] }
        defer { waiting = [] }
        return waiting
    }
}

extension [OneShot<Void>] {
    /// Ends the waits.
    @inlinable package func resume() {
        for place in self { place.resolve(()) }
    }
}
