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
        settings.isSuspended = true
    }

    /// Lets transfers begin again.
    public func resume() {
        settings.isSuspended = false
    }

    /// Changes the largest number of transfers that run at once. Transfers above a lower limit continue; the next ones
    /// wait for them.
    ///
    /// - Parameters:
    ///   - total: Of all origins. A number below 1 counts as 1.
    ///   - perHost: Of one host and port, as ``Configuration/maximumConcurrentDownloadsPerHost``. A number below 1
    ///     counts as 1.
    public func setMaximumConcurrentDownloads(_ total: Int, perHost: Int? = nil) {
        settings = Self.settings(total, perHost, settings.order, isSuspended: settings.isSuspended)
    }

    /// Changes the order of transfers of one origin and equal priority, also of those that wait.
    public func setOrder(_ order: SlotOrder) {
        settings.order = order
    }

    /// Whether transfers that have not begun must wait.
    public var isSuspended: Bool { settings.isSuspended }
    /// How many transfers run at once.
    public var maximumConcurrentDownloads: Int { settings.limit }
    /// How many transfers of one host and port run at once; see ``Configuration/maximumConcurrentDownloadsPerHost``.
    public var maximumConcurrentDownloadsPerHost: Int? { settings.lane == .max ? nil : settings.lane }
    /// What goes first among transfers of one origin and equal priority.
    public var order: SlotOrder { settings.order }

    /// An origin that has half of the slots, rounded up, lets others go first.
    static func settings(
        _ total: Int, _ perHost: Int?, _ order: SlotOrder, isSuspended: Bool = false
    ) -> SlotSettings {
        SlotSettings(
            limit: total, share: total / 2 + total % 2, lane: perHost ?? .max, order: order, isSuspended: isSuspended)
    }

    /// The fields sent with every request unless it brings its own.
    public nonisolated var headers: HTTPHeaders { board.headers }

    /// Sends a field with every request from now on unless it brings its own; transfers that have sent their fields
    /// continue.
    ///
    /// - Parameters:
    ///   - value: The value; `nil` removes the field.
    ///   - name: The name of the field; its case does not matter.
    public func setHeader(_ value: String?, for name: String) {
        board.setHeader(value, for: name)
    }
}
