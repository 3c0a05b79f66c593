import Synchronization

/// The request of a transfer: the part of it that its caller, its reader and the event loop share.
///
/// It has constants and state with locks of its own. libcurl's callbacks get it as their context.
final class TransferOrder: Sendable {
    let id: UInt64
    let hop: Hop
    let settings: TransferSettings
    /// When the caller sent the request, in nanoseconds of the loop's clock; earlier redirects count.
    let started: UInt64
    let recorder: MetricsRecorder
    let pipe = BodyPipe()
    /// Set before the message to the table, so that a cancellation that overtakes the start is not lost.
    let isCancelled = Atomic<Bool>(false)
    /// The table of the transfer.
    let table: TransferTable

    init(id: UInt64, hop: Hop, started: UInt64, recorder: MetricsRecorder, table: TransferTable) {
        self.id = id
        self.hop = hop
        settings = table.settings
        self.started = started
        self.recorder = recorder
        self.table = table
    }

    /// The order of a context of libcurl.
    ///
    /// Only for contexts of handles that are added to libcurl: the table keeps their orders.
    @inline(__always)
    static func at(_ context: UnsafeMutableRawPointer) -> TransferOrder {
        unsafe Unmanaged<TransferOrder>.fromOpaque(context).takeUnretainedValue()
    }
}

/// What the transfers of a client share: its configuration, and values computed from it once.
final class TransferSettings: Sendable {
    let configuration: HTTPClient.Configuration
    let totalTimeout: UInt64
    let idleTimeout: UInt64
    let headLimits: ResponseHead.Limits
    /// The proxy, which is connected to instead of the origins.
    let proxy: Proxy?

    init(_ configuration: HTTPClient.Configuration) {
        self.configuration = configuration
        totalTimeout = configuration.totalTimeout.clampedNanoseconds
        idleTimeout = configuration.idleTimeout.clampedNanoseconds
        headLimits = ResponseHead.Limits(
            byteCount: configuration.maximumHeaderByteCount, fieldCount: configuration.maximumHeaderCount)
        proxy = configuration.proxy.flatMap { try? Proxy($0) }
    }
}
