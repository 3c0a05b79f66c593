// SPDX-License-Identifier: MIT
import TaskCoordination

/// Pauses a download of a ``FileDownloader`` from outside.
///
/// A paused download holds no connection and no lock on its file. It goes on from what is written; without a strong
/// validator of the origin it begins anew.
public final class DownloadControl: Sendable {
    /// Whether downloads wait, and how many do.
    private let state = Watched((isPaused: false, waitingCount: 0))

    /// Creates a control that does not pause.
    public init() {}

    /// Whether downloads with this control wait.
    public var isPaused: Bool { state.read { $0.isPaused } }

    /// Ends the transfers with the next bytes that arrive, and lets none begin.
    public func pause() { state.change { $0.isPaused = true } }

    /// Lets the downloads go on.
    public func resume() { state.change { $0.isPaused = false } }

    /// Returns when a download waits; for code that may act only while nothing is written.
    ///
    /// **Cancellation**: returns at once.
    public func waitUntilPaused() async { await state.answer { $0.waitingCount > 0 ? true : nil } }

    /// Returns when the download may go on.
    func ready() async throws {
        guard isPaused else { return }
        state.change { $0.waitingCount += 1 }
        defer { state.change { $0.waitingCount -= 1 } }
        await state.answer { $0.isPaused ? nil : true }
        try Task.checkCancellation()
    }
}
