// SPDX-License-Identifier: MIT
internal import TaskCoordination

/// A gate that holds replies until a test opens it.
///
/// It replaces sleeps in tests: the server's thread waits at the gate, and the test waits until the thread has reached
/// it. A gate opens once and stays open. Any number of replies, of any number of servers, may be held at one.
///
/// ```swift
/// let gate = OriginGate()
/// origin.respond(to: "/slow.png", with: .ok(picture).held(at: gate))
/// async let answer = client.get(origin.url("/slow.png"))
/// await gate.waitUntilReached()      // the request has come, no byte of the reply has left
/// gate.open()
/// ```
public final class OriginGate: Sendable {
    private let latch = Latch()
    private let arrivals = Watched(0)

    /// Creates a closed gate.
    public init() {}

    /// Whether the gate was opened.
    public var isOpen: Bool { latch.isOpen }

    /// The number of replies that have reached the gate, open or closed.
    public var reachedCount: Int { arrivals.value }

    /// Lets all replies pass, the waiting and all later ones.
    ///
    /// Later calls do nothing.
    public func open() {
        latch.open()
    }

    /// Waits until replies have reached the gate, open or closed.
    ///
    /// **Cancellation**: returns `false` at once.
    ///
    /// - Parameter count: The number of replies since the gate was made.
    /// - Returns: Whether that many have reached it.
    @discardableResult
    public func waitUntilReached(count: Int = 1) async -> Bool {
        await arrivals.answer { $0 >= count ? true : nil } ?? false
    }

    /// Holds the calling connection until the gate opens.
    ///
    /// - Throws: `.peer` when the peer left first; `.reset` when the process has no descriptor left to wait with.
    func hold(_ socket: CInt) throws(ConnectionEnd) {
        let descriptor: CInt?
        do {
            descriptor = try latch.descriptor()
        } catch {
            throw .reset
        }
        arrivals.change { $0 += 1 }
        guard let descriptor else { return }
        try SystemSocket.wait(on: socket, latch: descriptor)
    }
}
