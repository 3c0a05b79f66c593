// SPDX-License-Identifier: MIT
public import HTTPTransport
import Synchronization
public import TaskCoordination

/// The settings that may change while transfers run.
extension ImageDownloader {
    /// Lets no transfer begin until ``resume()``. Running transfers continue, and new ones are accepted and wait.
    ///
    /// A transfer does not time out in the queue meanwhile. A shutdown does not resume: it cancels waiting transfers,
    /// at the latest at the end of its grace time.
    public func suspend() {
        isSuspended = true
        slots.setSuspended(true)
    }

    /// Lets transfers begin again.
    public func resume() {
        isSuspended = false
        slots.setSuspended(false)
    }

    /// Changes the largest number of transfers that run at once. Transfers above a lower limit continue; the next ones
    /// wait for them.
    ///
    /// - Parameters:
    ///   - total: Of all origins. A number below 1 counts as 1.
    ///   - perHost: Of one host and port, as ``Configuration/maximumConcurrentDownloadsPerHost``. A number below 1
    ///     counts as 1.
    public func setMaximumConcurrentDownloads(_ total: Int, perHost: Int? = nil) {
        maximumConcurrentDownloads = max(1, total)
        maximumConcurrentDownloadsPerHost = perHost.map { max(1, $0) }
        applyLimits()
    }

    /// Changes the order of transfers of one origin and equal priority, also of those that wait.
    public func setOrder(_ order: SlotOrder) {
        self.order = order
        applyLimits()
    }

    private func applyLimits() {
        slots.change(
            limit: maximumConcurrentDownloads, order: order, share: Self.share(of: maximumConcurrentDownloads),
            laneLimit: maximumConcurrentDownloadsPerHost ?? .max)
    }

    /// The number of slots of one origin beyond which others go first: half of them, rounded up.
    static func share(of limit: Int) -> Int { limit / 2 + limit % 2 }

    /// The fields sent with every request unless it brings its own.
    public nonisolated var headers: HTTPHeaders { sentHeaders.withLock { $0 } }

    /// Sends a field with every request from now on unless it brings its own; transfers that have sent their fields
    /// continue.
    ///
    /// - Parameters:
    ///   - value: The value; `nil` removes the field.
    ///   - name: The name of the field; its case does not matter.
    public func setHeader(_ value: String?, for name: String) {
        sentHeaders.withLock { $0[name] = value }
    }
}
