import Synchronization

/// A flight in the hands of its own operation.
public struct FlightHandle: Sendable {
    @usableFromInline let flight: AnyFlight

    @usableFromInline init(flight: AnyFlight) { self.flight = flight }

    /// Ends the flight while its operation goes on: every caller gets `error`, the slot is given back, and
    /// ``InFlight/drain()`` does not wait for the operation, which is cancelled.
    ///
    /// For an operation that waits for what would wait for it. What it returns reaches no caller.
    ///
    /// - Parameters:
    ///   - lane: That of the flight's plan.
    ///   - error: What the callers get.
    /// - Returns: `false`, and nothing happens, when the operation has not begun, has returned, or is detached already.
    @discardableResult
    public func detach(lane: String = "", throwing error: any Error) -> Bool {
        flight.detach(lane: lane, throwing: error)
    }
}

/// How the operation of a flight stands.
enum OperationState: UInt8, AtomicRepresentable {
    case waits
    /// It is expected to return, and lands the flight then.
    case underWay
    /// It goes on although the flight is over.
    case detached
    case returned
}

extension AnyFlight {
    @usableFromInline func beginOperation() { operation.store(.underWay, ordering: .releasing) }

    /// - Returns: Whether the operation was under way.
    @usableFromInline func detachOperation() -> Bool {
        operation.compareExchange(expected: .underWay, desired: .detached, ordering: .acquiringAndReleasing).exchanged
    }

    /// - Returns: Whether the operation was under way, and lands the flight now.
    @usableFromInline func returnOperation() -> Bool {
        operation.exchange(.returned, ordering: .acquiringAndReleasing) == .underWay
    }
}
