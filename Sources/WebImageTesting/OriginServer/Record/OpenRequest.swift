// SPDX-License-Identifier: MIT
internal import TaskCoordination

/// A request that was read and whose reply has not ended.
///
/// Used by one thread.
final class OpenRequest {
    private let record: OriginRecord
    private var isOpen = true

    /// - Parameter record: Counts the request as open already.
    init(record: OriginRecord) {
        self.record = record
    }

    /// Counts the request as answered; later calls do nothing.
    func finish() {
        guard isOpen else { return }
        isOpen = false
        record.state.change { $0.openRequests -= 1 }
    }

    /// Counts bytes of the body that were handed to the kernel.
    func addBodyBytes(_ count: Int) {
        record.state.change { $0.bodyBytesSent += count }
    }
}
