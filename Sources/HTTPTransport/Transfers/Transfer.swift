import CLibcurl
import CTransportShims

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One request on its way: everything that libcurl's callbacks need.
///
/// Isolated state of the transfer table, and not `Sendable`: made, used and ended on the event loop.
final class Transfer: DeadlineHolding {
    /// What a caller gets.
    struct Answer: Sendable {
        let head: ResponseHead
        let expectedCount: Int?
        /// Whether it came over HTTP/2, where transfers share a connection.
        let isMultiplexed: Bool
    }

    typealias Caller = CheckedContinuation<Answer, any Error>

    enum Phase {
        /// Neither admitted nor refused.
        case new
        /// Waits for a connection.
        case queued
        /// With libcurl, which calls back.
        case running(EasyHandle, Activity)
        /// Waits for the addresses of its name, out of libcurl; times are in nanoseconds of the loop's clock.
        case lookingUp(since: UInt64, until: UInt64)
        case ended
    }

    /// What a running transfer does.
    enum Activity {
        /// Has no connection yet; libcurl limits the time for that.
        case connecting
        /// libcurl has asked for the address of its name, and gives it back.
        case needsAddress
        /// Bytes moved last at that time.
        case active(since: UInt64)
        /// libcurl was told to stop receiving: the silence is the reader's.
        case paused
    }

    let order: TransferOrder
    var phase = Phase.new
    /// The caller, until it has the head.
    private var caller: Caller?
    /// The head, as far as it has come.
    private(set) var head = ResponseHead()
    /// The head when it is complete and within the limits.
    private(set) var answer: Answer?
    /// Bytes of the body so far.
    private var receivedCount = 0
    /// Why a callback ended the transfer; takes the place of libcurl's error.
    private(set) var failure: HTTPError?
    /// The last address that the policy refused, and why.
    private(set) var refusal: (address: IPAddress, reason: String)?
    /// Whether the last socket could not be made for want of a descriptor.
    var lacksDescriptor = false
    /// Where the name leads, once libcurl has asked.
    var resolution: Resolution?

    /// When the request will have taken too long, in nanoseconds of the loop's clock.
    let deadline: UInt64
    var wakeTime: UInt64
    var heapPosition: Int?

    init(_ order: TransferOrder, for caller: Caller?) {
        self.order = order
        self.caller = caller
        deadline = order.started + order.settings.totalTimeout
        wakeTime = deadline
    }

    var id: UInt64 { order.id }
    var settings: TransferSettings { order.settings }
    var pipe: BodyPipe { order.pipe }
    var origin: Origin { order.hop.origin }
    var url: URL { order.hop.request.url }

    /// The handle while libcurl has the transfer.
    var easy: EasyHandle? {
        if case .running(let easy, _) = phase { easy } else { nil }
    }

    var hasEnded: Bool {
        if case .ended = phase { true } else { false }
    }

    // MARK: - Time

    /// Bytes have moved, or the request is about to be sent over a connection that is ready.
    func noteActivity(at now: UInt64) {
        switch phase {
        case .running(_, .active(since: now)): break
        case .running(let easy, _): phase = .running(easy, .active(since: now))
        case .new, .queued, .lookingUp, .ended: break
        }
    }

    /// When the origin will have been silent for too long; `nil` while silence is not its fault.
    var idleDeadline: UInt64? {
        guard case .running(_, .active(let time)) = phase else { return nil }
        return time + settings.idleTimeout
    }

    /// When the first limit is reached if nothing happens.
    var nextDeadline: UInt64 {
        if case .lookingUp(_, let until) = phase { return min(deadline, until) }
        return min(deadline, idleDeadline ?? .max)
    }

    // MARK: - Callbacks

    enum HeaderReception {
        case more
        case complete
        case failed
    }

    /// A header line.
    func receiveHeader(_ line: RawSpan, at now: UInt64) -> HeaderReception {
        noteActivity(at: now)
        guard let easy else { return .failed }
        switch head.receive(line, status: easy.integer(CURLINFO_RESPONSE_CODE), limits: settings.headLimits) {
        case .more: return .more
        case .complete: return acceptHead(from: easy)
        case .tooLarge(let what): return fail(.headersTooLarge, "The response headers have too many \(what).")
        case .malformed(let what): return fail(.invalidResponse, "The response has \(what).")
        }
    }

    private func acceptHead(from easy: EasyHandle) -> HeaderReception {
        let limit = settings.configuration.maximumBodyByteCount
        let length = head.bodyLength(isHead: order.hop.isHead)
        var expectedCount: Int?
        switch length {
        case .contradictory:
            return fail(.invalidResponse, "The response has a malformed Content-Length, or several that differ.")
        case .announced(let count), .encoded(let count?):
            guard count <= limit else {
                failure = HTTPError.bodyTooLarge(limit: limit, announced: count).at(url, head.status)
                return .failed
            }
            if case .announced = length { expectedCount = count }
        case .none: expectedCount = 0
        case .encoded(nil), .unknown: break
        }
        if case .unknown(let name) = head.coding, length != .none {
            return fail(.invalidResponse, "The response is encoded with \(name), which was not asked for.")
        }
        let isMultiplexed = easy.integer(CURLINFO_HTTP_VERSION) >= Int(CURL_HTTP_VERSION_2_0)
        answer = Answer(head: head, expectedCount: expectedCount, isMultiplexed: isMultiplexed)
        return .complete
    }

    enum BodyReception {
        case taken
        case pause
        case abort
    }

    /// Bytes of the body.
    func receiveBody(_ bytes: RawSpan, at now: UInt64) -> BodyReception {
        noteActivity(at: now)
        guard let answer, let easy else {
            _ = fail(.invalidResponse, "A body arrived before its head.")
            return .abort
        }
        let limit = settings.configuration.maximumBodyByteCount
        guard bytes.byteCount <= limit - receivedCount else {
            failure = HTTPError.bodyTooLarge(limit: limit, announced: nil).at(url, head.status)
            return .abort
        }
        let remaining = answer.expectedCount.map { $0 - receivedCount }
        // Not over HTTP/2: when several streams of a connection are stopped, libcurl 7.88 delivers some bytes twice. Such
        // a body is taken as it comes, up to its limit.
        guard pipe.write(bytes, expecting: remaining, mayRefuse: !answer.isMultiplexed) else {
            phase = .running(easy, .paused)
            return .pause
        }
        receivedCount += bytes.byteCount
        return .taken
    }

    /// Whether this transfer may use a connection to the address.
    ///
    /// Remembers a refusal for the error.
    /// - Parameters:
    ///   - port: `nil` for a connection that was judged when it was made.
    ///   - proxyAddresses: Where the name of the proxy has led.
    func mayConnect(to address: IPAddress?, port: Int?, proxyAddresses: Set<IPAddress>) -> Bool {
        let policy = settings.configuration.addressPolicy
        if policy.isUnrestricted { return true }
        guard let address else { return false }
        // The proxy was named by the owner of the client. Whatever else is connected to is judged, proxy or not.
        if isProxy(address, proxyAddresses), port == nil || port == settings.proxy?.port { return true }
        guard let reason = policy.reasonToRefuse(address) else { return true }
        refusal = (address, reason)
        return false
    }

    private func isProxy(_ address: IPAddress, _ proxyAddresses: Set<IPAddress>) -> Bool {
        guard let proxy = settings.proxy else { return false }
        return IPAddress(proxy.host)?.unmapped == address.unmapped || proxyAddresses.contains(address.unmapped)
    }

    private func fail(_ code: HTTPError.Code, _ message: String) -> HeaderReception {
        failure = HTTPError(code: code, message: message, url: url, status: head.knownStatus)
        return .failed
    }

    // MARK: - End

    /// Hands the head to the caller; what follows goes into the pipe.
    func deliverHead() {
        guard let answer, let easy, let caller = caller.take() else { return }
        order.recorder.update { $0.recordHead(from: easy, lookUpTime: lookUpTime) }
        caller.resume(returning: answer)
    }

    /// Ends the transfer for its caller and its reader; called once by the table of transfers.
    func end(_ result: Result<Void, any Error>, at now: UInt64) {
        // A head that is there goes to the caller, and the error to the reader, unless the caller is the one that left.
        let answer = caller != nil && !result.isCancellation ? answer : nil
        order.recorder.update {
            if answer != nil, let easy { $0.recordHead(from: easy, lookUpTime: lookUpTime) }
            $0.bytesReceived = receivedCount
            $0.total = .nanoseconds(Int64(clamping: now - order.started))
        }
        phase = .ended
        // Before the caller goes on: it finds the whole body, and need not wait again.
        pipe.finish(result)
        guard let caller = caller.take() else { return }
        if let answer { return caller.resume(returning: answer) }
        switch result {
        case .failure(let error):
            caller.resume(throwing: error)
        case .success:
            caller.resume(
                throwing: HTTPError(code: .invalidResponse, message: "The answer ended before its head.", url: url))
        }
    }
}

extension ResponseHead {
    /// The status, once a head has said one.
    var knownStatus: Int? { status == 0 ? nil : status }
}

extension Result where Failure == any Error {
    fileprivate var isCancellation: Bool {
        if case .failure(let error) = self { error is CancellationError } else { false }
    }
}
