// SPDX-License-Identifier: MIT
import CLibcurl
import CTransportShims
import PlatformBasics
import TaskCoordination

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

    typealias Caller = Suspension<Answer, any Error>

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
    /// What the caller gets when the transfer has ended.
    private var landing: Result<Answer, any Error>?
    /// The number of body bytes so far.
    private var receivedCount = 0
    /// Whether a line of the response has arrived.
    private(set) var hasBegun = false
    /// The present period of the low-speed rule: its begin, and the number of body bytes then.
    private var pace: (since: UInt64, count: Int) = (0, 0)
    /// The number of bytes of a content that libcurl has taken, when it has to ask for them.
    var sentCount = 0
    /// Whether libcurl waits for more of the content, so that the silence is not the origin's.
    var isStarved = false
    /// Whether no pinned certificate was found.
    var lacksPin = false
    /// Whether the transfer must not use a kept connection, because one did not satisfy its policies.
    var needsFreshConnection = false
    /// Why a callback ended the transfer; replaces libcurl's error.
    var failure: HTTPError?
    /// The last address that the policy refused, and why.
    var refusal: (address: IPAddress, reason: String)?
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
    var priority: HTTPPriority { order.hop.request.hasOptions ? order.hop.request.options.priority : .normal }

    /// The handle while the transfer is added to libcurl.
    var easy: EasyHandle? {
        if case .running(let easy, _) = phase { easy } else { nil }
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

    /// When the idle limit ends, or before the response the limit for its first line; `nil` while the origin does not
    /// cause the silence.
    var idleDeadline: UInt64? {
        guard case .running(_, .active(let time)) = phase, !isStarved else { return nil }
        return time + (hasBegun ? settings.idleTimeout : settings.firstByteTimeout)
    }

    /// When the present period of the low-speed rule ends; `nil` without a rule, and while the origin does not cause
    /// the pace.
    var paceDeadline: UInt64? {
        guard let rule = settings.pace, answer != nil, case .running(_, .active) = phase else { return nil }
        return pace.since + rule.period
    }

    /// Begins a period of the low-speed rule.
    /// - Returns: Whether enough bytes arrived in the last one.
    @discardableResult
    func beginPace(at now: UInt64) -> Bool {
        let isEnough = receivedCount - pace.count >= settings.pace?.byteCount ?? 0
        pace = (now, receivedCount)
        return isEnough
    }

    /// When the first time limit ends if nothing happens.
    var nextDeadline: UInt64 {
        if case .lookingUp(_, let until) = phase { return min(deadline, until) }
        return min(deadline, idleDeadline ?? .max, paceDeadline ?? .max)
    }

    // MARK: - Callbacks

    enum HeaderReception {
        case more
        /// The first line, after which other time limits apply.
        case begun
        case complete
        case failed
    }

    /// Receives a header line.
    func receiveHeader(_ line: RawSpan, at now: UInt64) -> HeaderReception {
        noteActivity(at: now)
        guard let easy else { return .failed }
        let limits = settings.headLimits
        switch head.receive(line, limits: limits, status: { easy.integer(CURLINFO_RESPONSE_CODE) }) {
        case .more:
            defer { hasBegun = true }
            if !hasBegun { noteCopySent(by: easy) }
            return hasBegun ? .more : .begun
        case .complete:
            beginPace(at: now)
            return acceptHead(from: easy)
        case .tooLarge(let what): return fail(.headersTooLarge, "The response headers have too many \(what).")
        case .malformed(let what): return fail(.invalidResponse, "The response has \(what).")
        }
    }

    private func acceptHead(from easy: EasyHandle) -> HeaderReception {
        let limit = settings.configuration.maximumBodyByteCount
        let length = head.bodyLength(isHead: order.hop.isHead)
        let decodesContent = order.hop.request.decodesContent
        var expectedCount: Int?
        switch length {
        case .contradictory:
            return fail(.invalidResponse, "The response has a malformed Content-Length, or several that differ.")
        case .announced(let count), .encoded(let count?):
            guard count <= limit else {
                failure = HTTPError.bodyTooLarge(limit: limit, announced: count).at(url, head.status)
                return .failed
            }
            if case .encoded = length, decodesContent { break }
            expectedCount = count
        case .none: expectedCount = 0
        case .encoded(nil), .unknown: break
        }
        if decodesContent, case .unknown(let name) = head.coding, length != .none {
            return fail(
                .invalidResponse,
                "The response is encoded with \(name), and only gzip is decoded; get it as it is without decodesContent."
            )
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
        guard answer != nil, let easy else {
            _ = fail(.invalidResponse, "A body arrived before its head.")
            return .abort
        }
        let limit = settings.configuration.maximumBodyByteCount
        guard bytes.byteCount <= limit - receivedCount else {
            failure = HTTPError.bodyTooLarge(limit: limit, announced: nil).at(url, head.status)
            return .abort
        }
        let remaining = answer?.expectedCount.map { $0 - receivedCount }
        let mayRefuse = answer?.isMultiplexed == false || CurlMulti.stopsStreams
        guard pipe.write(bytes, expecting: remaining, mayRefuse: mayRefuse) else {
            phase = .running(easy, .paused)
            return .pause
        }
        receivedCount += bytes.byteCount
        // Not before the caller has the head: only then are the bytes kept when the transfer is paused.
        if caller == nil { reportReceived() }
        return .taken
    }

    private func fail(_ code: HTTPError.Code, _ message: String) -> HeaderReception {
        failure = HTTPError(code: code, message: message, url: url, status: head.knownStatus)
        return .failed
    }

    // MARK: - End

    /// Gives the head, or the error of a transfer without one, to the caller; the body goes into the pipe.
    ///
    /// Called at the end of a turn, so that many callers are resumed in one go, and find their bodies.
    func deliver() {
        guard caller != nil else { return }
        if let landing {
            if case .success = landing { reportReceived() }
            caller.take()?.resume(with: landing)
        } else if let answer, let easy {
            order.recorder.update { $0.recordHead(from: easy, lookUpTime: lookUpTime) }
            reportReceived()
            caller.take()?.resume(with: .success(answer))
        }
    }

    private func reportReceived() {
        order.reports?(.receiving(byteCount: receivedCount, expected: answer?.expectedCount))
    }

    /// Ends the transfer for its reader, and for its caller as soon as it is delivered; called once by the table of
    /// transfers.
    /// - Returns: Whether a caller waits.
    func end(_ result: Result<Void, any Error>, at now: UInt64) -> Bool {
        // The caller gets a complete head, and the reader gets the error, unless the caller was cancelled.
        let answer = caller != nil && !result.isCancellation ? answer : nil
        order.recorder.update {
            if answer != nil, let easy { $0.recordHead(from: easy, lookUpTime: lookUpTime) }
            $0.bytesReceived = receivedCount
            if order.hop.request.hasContent, let easy { $0.bytesSent = easy.sentCount }
            $0.total = .nanoseconds(Int64(clamping: now - order.started))
        }
        phase = .ended
        order.upload?.pipe.close()
        // Before the caller is resumed, so that it finds the whole body without another wait.
        pipe.finish(result)
        guard caller != nil else { return false }
        if let answer {
            landing = .success(answer)
        } else if case .failure(let error) = result {
            landing = .failure(error)
        } else {
            landing = .failure(
                HTTPError(code: .invalidResponse, message: "The answer ended before its head.", url: url))
        }
        return true
    }
}

extension Result where Failure == any Error {
    fileprivate var isCancellation: Bool {
        if case .failure(let error) = self { error is CancellationError } else { false }
    }
}
