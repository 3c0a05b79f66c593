// SPDX-License-Identifier: MIT
import HTTPTransport
import Locks
import PlatformBasics
import TaskCoordination

/// The transfer that the calling task works for. Code of the program runs inside it, in a request modifier, a transport
/// or a body, and may call the manager that waits for it.
///
/// A task that this code starts inherits the scope, which ends when the transfer's operation has returned.
final class TransferScope: TurnGiving {
    static var current: TransferScope? { RequestTurn.giver as? TransferScope }

    private let downloader: ObjectIdentifier
    /// `nil` after the operation has returned.
    private let transfer: Mutex<Transfer?>

    private init(_ transfer: Transfer, _ downloader: ImageDownloader) {
        self.downloader = ObjectIdentifier(downloader)
        self.transfer = Mutex(transfer)
    }

    /// Runs the operation of a transfer.
    static func run<Value>(
        _ transfer: Transfer, in downloader: ImageDownloader,
        _ operation: nonisolated(nonsending) () async throws -> Value
    ) async rethrows -> Value {
        let scope = TransferScope(transfer, downloader)
        defer { scope.transfer.withLock { $0 = nil } }
        return try await RequestTurn.$giver.withValue(scope, operation: operation)
    }

    /// Whether the calling task works for a transfer of this downloader.
    static func isInside(_ downloader: ImageDownloader) -> Bool {
        guard let current, current.downloader == ObjectIdentifier(downloader) else { return false }
        return current.transfer.withLock { $0 != nil }
    }

    /// Refuses a load that would wait for a slot while it holds one, or for itself.
    static func refuseInside(_ downloader: ImageDownloader, _ url: URL) throws {
        if isInside(downloader) { throw reentrant(url) }
    }

    @inline(never) private static func reentrant(_ url: URL) -> ImageLoadError {
        ImageLoadError(
            code: .reentrant,
            message: "A request modifier or a transport must not load through the manager it works for; "
                + "use another manager, or an HTTP client of its own.",
            url: url)
    }

    /// Lets another transfer have the slot of this one while it waits.
    func withoutTurn(_ wait: @Sendable () async throws -> Void) async throws {
        guard let transfer = transfer.withLock({ $0 }) else { return try await wait() }
        try await transfer.work.withoutSlot(transfer.lane, wait)
    }
}
