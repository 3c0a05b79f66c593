// SPDX-License-Identifier: MIT
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
    /// The values of the fields for this hop alone, which are not in its request.
    let (cookie, proxyAuthorization): (String?, String?)
    /// The content, when it is not in memory.
    let upload: ContentUpload?
    let pipe = BodyPipe()
    /// Where the progress is reported, if anything wants to know.
    let reports: TransferReports?
    /// Set before the message to the table, so that a cancellation that overtakes the start is not lost.
    let isCancelled = Atomic<Bool>(false)
    /// The table of the transfer.
    let table: TransferTable

    /// - Parameter settings: Those of the request; by default those of the client.
    init(
        id: UInt64, hop: Hop, settings: TransferSettings? = nil, cookie: String? = nil,
        proxyAuthorization: String? = nil, upload: ContentUpload? = nil, started: UInt64, recorder: MetricsRecorder,
        table: TransferTable
    ) {
        (self.cookie, self.proxyAuthorization) = (cookie, proxyAuthorization)
        self.upload = upload
        self.id = id
        self.hop = hop
        reports = hop.request.hasOptions ? hop.request.options.reports : nil
        self.settings = settings ?? table.settings
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
///
/// A request with options has settings of its own.
final class TransferSettings: Sendable {
    let configuration: HTTPClient.Configuration
    /// Whether addresses are judged at all.
    let judgesAddresses: Bool
    let totalTimeout: UInt64
    let idleTimeout: UInt64
    let firstByteTimeout: UInt64
    /// The period of the low-speed rule and the smallest number of bytes in it.
    let pace: (period: UInt64, byteCount: Int)?
    let headLimits: ResponseHead.Limits
    /// Whether a connection may need a pinned certificate.
    let hasPins: Bool
    /// The proxy, which is connected to instead of the origins.
    let proxy: Proxy?
    /// The only origin for the client certificate; `nil` for every one.
    private let certificateOrigin: Origin?

    init(_ configuration: HTTPClient.Configuration, certificateOrigin: Origin? = nil) {
        self.configuration = configuration
        self.certificateOrigin = certificateOrigin
        judgesAddresses = !configuration.addressPolicy.isUnrestricted
        totalTimeout = configuration.totalTimeout.clampedNanoseconds
        idleTimeout = configuration.idleTimeout.clampedNanoseconds
        firstByteTimeout = configuration.firstByteTimeout?.clampedNanoseconds ?? idleTimeout
        pace = configuration.lowSpeedLimit.map { ($0.period.clampedNanoseconds, $0.byteCount) }
        headLimits = ResponseHead.Limits(
            byteCount: configuration.maximumHeaderByteCount, fieldCount: configuration.maximumHeaderCount)
        hasPins = configuration.tls.pins != nil || configuration.tlsForHosts.values.contains { $0.pins != nil }
        proxy = configuration.proxy.flatMap { try? Proxy($0) }
    }

    /// The settings for a request.
    func merged(with request: HTTPRequest) -> TransferSettings {
        guard request.hasOptions else { return self }
        var merged = configuration
        merged.apply(request.options)
        let origin = request.options.tls?.clientCertificate == nil ? nil : try? Origin(request.url)
        return TransferSettings(merged, certificateOrigin: origin)
    }
}

extension HTTPClient.Configuration {
    /// Replaces the limits and policies that a request has of its own.
    mutating func apply(_ options: HTTPRequest.Options) {
        totalTimeout = options.totalTimeout ?? totalTimeout
        idleTimeout = options.idleTimeout ?? idleTimeout
        firstByteTimeout = options.firstByteTimeout ?? firstByteTimeout
        lowSpeedLimit = options.lowSpeedLimit ?? lowSpeedLimit
        maximumBodyByteCount = min(maximumBodyByteCount, max(0, options.maximumBodyByteCount ?? .max))
        if let policy = options.tls {
            tls = policy
            tlsForHosts = [:]
        }
        addressPolicy = options.addressPolicy ?? addressPolicy
        acceptableStatuses = options.acceptableStatuses ?? acceptableStatuses
        redirectRule = options.redirectRule ?? redirectRule
        cookieJar = options.cookies.jar ?? cookieJar
        acceptableContentTypes = options.acceptableContentTypes ?? acceptableContentTypes
    }
}

extension TransferSettings {
    /// The TLS policy for a host: its own one, that of the closest domain, or that of the client.
    func tls(for host: String) -> TLSPolicy {
        let policies = configuration.tlsForHosts
        guard !policies.isEmpty else { return configuration.tls }
        return host.withDomainPatterns.lazy.compactMap { policies[$0] }.first ?? configuration.tls
    }

    /// Whether the client certificate is for the origin: that of a request is for its own origin only.
    func showsClientCertificate(to origin: Origin) -> Bool { certificateOrigin.map { $0 == origin } ?? true }
}
