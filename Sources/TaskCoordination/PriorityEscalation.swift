// SPDX-License-Identifier: MIT
/// Runs `body` while every escalation of the calling task is passed on, also one from before this call.
///
/// An escalation that came before a handler is installed is not replayed to it. It shows as a current priority above
/// the base priority. So that one is read once the handler is in place: an escalation that comes earlier is read, one
/// that comes later is handled, and one in between may be passed on twice. To raise twice must do no harm.
///
/// - Parameters:
///   - raise: Called with the raw value of the new priority. Runs within the escalation, so it must not wait.
///   - body: What the calling task waits for.
@inlinable @inline(__always)
package nonisolated(nonsending) func withPriorityEscalation(
    to raise: @Sendable (UInt8) -> Void, _ body: nonisolated(nonsending) () async -> Void
) async {
    await withTaskPriorityEscalationHandler {
        catchUp(with: raise)
        await body()
    } onPriorityEscalated: { _, new in
        raise(new.rawValue)
    }
}

/// Not inlined: what it needs would take its room in the frame of every task that waits.
@usableFromInline @inline(never) func catchUp(with raise: @Sendable (UInt8) -> Void) {
    let now = Task.currentPriority.rawValue
    if now > (Task.basePriority?.rawValue ?? now) { raise(now) }
}
