import CLibcurl
import CTransportShims

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One transfer: everything that libcurl's callbacks need.
///
/// Isolated state of the transfer table, and not `Sendable`: made, used and ended on the event loop.
final class Transfer: DeadlineHolding {
    /// The result for the caller.
    struct Answer: Sendable {
        let head: ResponseHead
        let expectedCount: Int?
        /// Whether the response came over HTTP/2, where transfers share a connection.
        let isMultiplexed: Bool
    }

    typealias Caller = CheckedContinuation<Answer, any Error>

    enum Phase {
        /// Neither admitted nor refused.
        case new
        /// Waits for a connection.
        case queued
        /// Added to libcurl, which calls back.
        case running(EasyHandle, Activity)
        /// Removed from libcurl until the addresses of its name are known; times are in nanoseconds of the loop's
        /// clock.
        case lookingUp(since: UInt64, until: UInt64)
        case ended
    }

    /// The activity of a running transfer.
    enum Activity {
        /// Has no connection yet; libcurl limits the time to connect.
        case connecting
        /// libcurl has asked for the address of its name, and returns the transfer.
        case needsAddress
        /// Bytes moved last at this time.
        case active(since: UInt64)
        /// libcurl was told to stop receiving: the reader causes the silence.
        case paused
    }

    let order: TransferOrder
    var phase = Phase.new
    /// The caller, until it has the head.
    private var caller: Caller?
    /// The head, as far as it has arrived.
    private(set) var head = ResponseHead()
    /// The head once it is complete and within the limits.
    private(set) var answer: Answer?
    /// The number of body bytes so far.
    private var receivedCount = 0
    /// Why a callback ended the transfer; replaces libcurl's error.
    private(set) var failure: HTTPError?
    /// The last address that the policy refused, and why.
    private(set) var refusal: (address: IPAddress, reason: String)?
    /// Whether the last socket could not be made because no descriptor was left.
    var lacksDescriptor = false
    /// The addresses of the name, once libcurl has asked for them.
    var resolution: Resolution?

    /// When the total time limit ends, in nanoseconds of the loop's clock.
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

    /// The handle while the transfer is added to libcurl.
    var easy: EasyHandle? {
        if case .running(let easy, _) = phase { easy } else { nil }
    }

    var hasEnded: Bool {
        if case .ended = phase { true } else { false }
    }

    // MARK: - Time

    /// Notes that bytes have moved, or that the request is about to be sent over a connection.
    func noteActivity(at now: UInt64) {
        switch phase {
        case .running(_, .active(since: now)): break
        case .running(let easy, _): phase = .running(easy, .active(since: now))
        case .new, .queued, .lookingUp, .ended: break
        }
    }

    /// When the idle limit ends; `nil` while the origin does not cause the silence.
    var idleDeadline: UInt64? {
        guard case .running(_, .active(let time)) = phase else { return nil }
        return time + settings.idleTimeout
    }

    /// When the first time limit ends if nothing happens.
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

    /// Receives a header line.
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
            return fail(.invalidResponse, "The response is encoded with \(name), which was not requested.")
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

    /// Receives bytes of the body.
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
        // Not over HTTP/2: when several streams of a connection are stopped, libcurl 7.88 delivers some bytes twice.
        // Such a body is taken without back-pressure, up to its limit.
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
    ///   - port: `nil` for a connection that was checked when it was made.
    ///   - proxyAddresses: The addresses of the proxy's name so far.
    func mayConnect(to address: IPAddress?, port: Int?, proxyAddresses: Set<IPAddress>) -> Bool {
        let policy = settings.configuration.addressPolicy
        if policy.isUnrestricted { return true }
        guard let address else { return false }
        // The program chose the proxy. Every other address is checked, with or without a proxy.
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

    /// Gives the head to the caller; the body goes into the pipe.
    func deliverHead() {
        guard let answer, let easy, let caller = caller.take() else { return }
        order.recorder.update { $0.recordHead(from: easy, lookUpTime: lookUpTime) }
        caller.resume(returning: answer)
    }

    /// Ends the transfer for its caller and its reader; called once by the table of transfers.
    func end(_ result: Result<Void, any Error>, at now: UInt64) {
        // The caller gets a complete head, and the reader gets the error, unless the caller was cancelled.
        let answer = caller != nil && !result.isCancellation ? answer : nil
        order.recorder.update {
            if answer != nil, let easy { $0.recordHead(from: easy, lookUpTime: lookUpTime) }
            $0.bytesReceived = receivedCount
            $0.total = .nanoseconds(Int64(clamping: now - order.started))
        }
        phase = .ended
        // Before the caller is resumed, so that it finds the whole body without another wait.
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
    /// The status, once a head has one.
    var knownStatus: Int? { status == 0 ? nil : status }
}

extension Result where Failure == any Error {
    fileprivate var isCancellation: Bool {
        if case .failure(let error) = self { error is CancellationError } else { false }
    }
}
