import Synchronization

/// What is to be transferred: the part of a transfer that its caller, its reader and the event loop share.
///
/// Constants, and what has a lock of its own. libcurl's callbacks get it as their context.
final class TransferOrder: Sendable {
    let id: UInt64
    let hop: Hop
    let settings: TransferSettings
    /// When the caller asked, in nanoseconds of the loop's clock; redirects before this hop count.
    let started: UInt64
    let recorder: MetricsRecorder
    let pipe = BodyPipe()
    /// Set before the table is told, so that a cancellation which overtakes the start is not lost.
    let isCancelled = Atomic<Bool>(false)
    /// Where the transfer lives.
    let table: TransferTable

    init(id: UInt64, hop: Hop, started: UInt64, recorder: MetricsRecorder, table: TransferTable) {
        self.id = id
        self.hop = hop
        settings = table.settings
        self.started = started
        self.recorder = recorder
        self.table = table
    }

    /// The order behind a context of libcurl.
    ///
    /// Only for contexts of handles that are added: the table keeps their orders.
    @inline(__always)
    static func at(_ context: UnsafeMutableRawPointer) -> TransferOrder {
        unsafe Unmanaged<TransferOrder>.fromOpaque(context).takeUnretainedValue()
    }
}

/// What the transfers of a client share: its configuration, and what is worked out of it once.
final class TransferSettings: Sendable {
    let configuration: HTTPClient.Configuration
    let totalTimeout: UInt64
    let idleTimeout: UInt64
    let headLimits: ResponseHead.Limits
    /// What is connected to in place of the origins.
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
