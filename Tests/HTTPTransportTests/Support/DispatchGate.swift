import Foundation

/// Lets a thread of the test origin wait for an event of the test.
final class DispatchGate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    init(_ event: Event) {
        Task { [semaphore] in
            await event.wait()
            semaphore.signal()
        }
    }

    func wait() {
        semaphore.wait()
    }
}
