// SPDX-License-Identifier: MIT
extension HTTPRequest {
    /// Limits and policies of one request. What is `nil` is as the client's configuration says.
    ///
    /// A transfer uses a kept connection only when the connection satisfies the policies of its own request.
    public struct Options: Sendable, Hashable {
        /// Longest time from `send` to the last byte, in place of the client's; may be longer.
        public var totalTimeout: Duration?
        /// Longest time without a byte in either direction, in place of the client's.
        public var idleTimeout: Duration?
        /// Longest time from the end of the request to the first line of the response, in place of the client's.
        public var firstByteTimeout: Duration?
        /// The slowest acceptable body, in place of the client's rule.
        public var lowSpeedLimit: HTTPLowSpeedLimit?
        /// Largest body in bytes, on the wire and after decompression. The smaller of this limit and the client's
        /// counts.
        public var maximumBodyByteCount: Int?

        /// Whether a compressed body is decompressed; default `true`.
        ///
        /// With `true` a body in a coding other than gzip is an error, also when a field of the request asks for it.
        /// With `false` the body is as it is on the wire, in any coding, and the client asks for no coding of its own.
        public var decodesContent = true

        /// The trusted certificates, in place of the client's policy.
        public var tls: TLSPolicy?
        /// The addresses that this request may connect to, in place of the client's policy.
        ///
        /// It replaces the client's policy also where it allows more. Set it from the program's own rules only, never
        /// from untrusted input.
        public var addressPolicy: AddressPolicy?

        /// The credential for the origin of the URL, sent as `Authorization` and never to another origin.
        public var credential: HTTPCredential?

        /// The cookies of this request; by default those of the client's jar.
        public var cookies = HTTPRequestCookies()
        /// Decides about each redirect, in place of the client's rule.
        public var redirectRule: HTTPRedirectRule?

        /// The status codes to return; a response with another one is an error. In place of the client's set.
        public var acceptableStatuses: HTTPStatusSet?
        /// The content types to return; a response with another one is an error. In place of the client's set.
        public var acceptableContentTypes: HTTPContentTypes?

        /// The order among the requests that wait for a connection to one origin, and the weight of a stream among
        /// those of an HTTP/2 connection; default `.normal`. It is read when the request is sent.
        public var priority = HTTPPriority.normal

        /// Where the client reports the progress of the transfer.
        package var reports: TransferReports?

        /// Creates empty options: everything as the client's configuration says.
        public init() {}

        /// The options without those that only decide when the bytes arrive.
        ///
        /// For keys of shared transfers: requests that differ in time limits and priority alone receive the same bytes.
        /// The policies and the body limit stay, because they decide whether there are bytes at all.
        package var identity: Options {
            var options = self
            options.totalTimeout = nil
            options.idleTimeout = nil
            options.firstByteTimeout = nil
            options.lowSpeedLimit = nil
            options.priority = .normal
            options.reports = nil
            return options
        }
    }
}

/// The order among requests that wait for a connection to one origin.
///
/// A waiting request is overtaken by every later one of a higher priority, for as long as such requests come. Among
/// equals the first comes first. Over HTTP/2 the origin is told a weight, which many origins ignore.
///
/// A request keeps the priority with which it was sent, while it waits for a connection and while its stream runs.
public enum HTTPPriority: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// After every other request.
    case veryLow
    /// After the usual ones.
    case low
    /// First come, first served.
    case normal
    /// Before the usual ones.
    case high
    /// Before every other request.
    case veryHigh

    /// The weight of a stream, 1 … 256; HTTP/2's default for the usual one.
    /// - Source: RFC 7540, section 5.3.2.
    var streamWeight: Int {
        switch self {
        case .veryLow: 1
        case .low: 8
        case .normal: 16
        case .high: 64
        case .veryHigh: 256
        }
    }

    /// Whether the left one waits for the right one.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The slowest body that is worth waiting for.
///
/// The count begins with the head and starts again after each period. The time in which a slow reader has stopped the
/// transfer does not count.
public struct HTTPLowSpeedLimit: Sendable, Hashable {
    /// The smallest average number of bytes a second, before decompression; at least 1.
    public var bytesPerSecond: Int
    /// The period over which the average is taken, 1 ms to a day.
    public var period: Duration

    /// Creates a limit.
    public init(bytesPerSecond: Int, over period: Duration) {
        self.bytesPerSecond = bytesPerSecond
        self.period = period
    }

    /// The smallest acceptable number of bytes in one period.
    var byteCount: Int {
        let product = Double(max(1, bytesPerSecond)) * Double(period.clampedNanoseconds) / 1e9
        return max(1, Int(exactly: product.rounded(.up)) ?? .max)
    }
}

/// Where a client reports the progress of a transfer: part of the options of its request, and equal to itself alone.
package final class TransferReports: Sendable, Hashable {
    /// How far a transfer is.
    package enum Progress: Sendable {
        case connecting
        case sending(byteCount: Int)
        case receiving(byteCount: Int, expected: Int?)
    }

    private let report: @Sendable (Progress) -> Void

    /// - Parameter report: Called on the event loop; it must not wait.
    package init(_ report: @escaping @Sendable (Progress) -> Void) { self.report = report }

    func callAsFunction(_ progress: Progress) { report(progress) }

    package static func == (left: TransferReports, right: TransferReports) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A rare part of a request behind one reference, so that the usual request is not larger.
final class Box<Value: Sendable & Hashable>: Sendable, Hashable {
    let value: Value

    init(_ value: Value) { self.value = value }

    static func == (left: Box, right: Box) -> Bool { left.value == right.value }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
