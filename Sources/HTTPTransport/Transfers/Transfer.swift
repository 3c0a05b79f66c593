import CLibcurl
import CTransportShims
import Synchronization

/// One request on its way: everything libcurl's callbacks need.
///
/// Lives on the event loop; only the pipe is shared.
// Unchecked: after `init` only the event loop touches the variables, from `CurlMulti.start` on.
final class Transfer: DeadlineHolding, @unchecked Sendable {
    /// What a caller gets.
    struct Answer: Sendable {
        let head: ResponseHead
        let expectedCount: Int?
        let isCompressed: Bool
    }

    enum Phase {
        case new
        /// Waits for a connection.
        case queued
        case running
        case ended
    }

    let id: UInt64
    let hop: Hop
    let configuration: HTTPClient.Configuration
    let pipe = BodyPipe()
    let recorder: MetricsRecorder
    var head = ResponseHead()
    /// Whether the head is complete and within the limits, so that the caller may have it.
    private(set) var isHeadAccepted = false
    var phase = Phase.new
    var easy: EasyHandle?
    /// Set before the loop is told, so that a cancellation which overtakes the start is not lost.
    let isCancelled = Atomic<Bool>(false)
    /// The table that holds this transfer while it runs.
    var table: CurlMulti?
    /// Who waits for the head.
    var caller: CheckedContinuation<Answer, any Error>?
    /// Why a callback ended the transfer; takes the place of libcurl's error.
    var failure: HTTPError?
    /// The last address that the policy refused, and why.
    var refusal: (address: IPAddress, reason: String)?
    /// What is connected to in place of the origin.
    let proxy: Proxy?
    var nameState = NameState.unasked
    /// Whether a socket could not be made for want of a descriptor.
    var lacksDescriptor = false
    /// Bytes of the body so far.
    private var receivedCount = 0
    private(set) var expectedCount: Int?
    /// Whether the body may be stopped while its reader is behind.
    ///
    /// Not over HTTP/2: when several streams of a connection are stopped, libcurl 7.88 delivers some bytes twice. Such a
    /// body is taken as it comes, up to its limit.
    private(set) var isStoppable = true

    // MARK: Deadlines, in nanoseconds of the loop's clock

    /// When the caller asked; redirects before this hop count.
    let started: UInt64
    let deadline: UInt64
    /// The last time at which bytes moved; `nil` until the connection is there, which has a limit of its own.
    var lastActivity: UInt64?
    /// Whether libcurl was told to stop receiving, so that silence is the reader's.
    var isPaused = false
    /// When the look-up of a name will have taken too long; `nil` while there is none.
    var lookUpDeadline: UInt64?
    var wakeTime: UInt64
    var heapPosition: Int?

    init(
        id: UInt64, hop: Hop, configuration: HTTPClient.Configuration, started: UInt64, recorder: MetricsRecorder
    ) {
        self.id = id
        self.hop = hop
        self.configuration = configuration
        self.started = started
        self.recorder = recorder
        proxy = configuration.proxy.flatMap { try? Proxy($0) }
        deadline = started + configuration.totalTimeout.clampedNanoseconds
        wakeTime = deadline
    }

    /// When the origin will have been silent for too long; `nil` while silence is nobody's fault.
    var idleDeadline: UInt64? {
        guard let lastActivity, !isPaused else { return nil }
        return lastActivity + configuration.idleTimeout.clampedNanoseconds
    }

    /// Hands the head to the caller; what follows goes into the pipe.
    func deliverHead() {
        guard let caller = caller.take() else { return }
        if let easy { recorder.update { $0.recordHead(from: easy, lookUpTime: lookUpTime) } }
        caller.resume(returning: Answer(head: head, expectedCount: expectedCount, isCompressed: head.coding == .gzip))
    }

    // MARK: Callbacks

    /// A header line.
    ///
    /// Returns whether to go on.
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        lastActivity = LoopThread.nanoseconds
        let status = easy?.integer(CURLINFO_RESPONSE_CODE) ?? 0
        let limits = ResponseHead.Limits(
            byteCount: configuration.maximumHeaderByteCount, fieldCount: configuration.maximumHeaderCount)
        switch unsafe head.receive(line, status: status, limits: limits) {
        case .more: return true
        case .complete: return acceptHead()
        case .tooLarge(let what): return fail(.headersTooLarge, "The response headers have too many \(what).")
        case .malformed(let what): return fail(.invalidResponse, "The response has \(what).")
        }
    }

    private func acceptHead() -> Bool {
        let limit = configuration.maximumBodyByteCount
        switch head.bodyLength(isHead: hop.isHead) {
        case .contradictory:
            return fail(.invalidResponse, "The response has a malformed Content-Length, or several that differ.")
        case .announced(let count), .encoded(let count?):
            guard count <= limit else {
                failure = HTTPError.bodyTooLarge(limit: limit, announced: count).at(hop.request.url, head.status)
                return false
            }
            if case .announced = head.bodyLength(isHead: hop.isHead) { expectedCount = count }
        case .none: expectedCount = 0
        case .encoded(nil), .unknown: break
        }
        if case .unknown(let name) = head.coding, head.bodyLength(isHead: hop.isHead) != .none {
            return fail(.invalidResponse, "The response is encoded with \(name), which was not asked for.")
        }
        isStoppable = (easy?.integer(CURLINFO_HTTP_VERSION) ?? 0) < Int(CURL_HTTP_VERSION_2_0)
        isHeadAccepted = true
        table?.transfersWithNewHead.append(self)
        return true
    }

    enum Reception {
        case taken
        case pause
        case abort
    }

    /// Bytes of the body.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Reception {
        lastActivity = LoopThread.nanoseconds
        guard head.isComplete else {
            _ = fail(.invalidResponse, "A body arrived before its head.")
            return .abort
        }
        let limit = configuration.maximumBodyByteCount
        guard bytes.count <= limit - receivedCount else {
            failure = HTTPError.bodyTooLarge(limit: limit, announced: nil).at(hop.request.url, head.status)
            return .abort
        }
        let remaining = expectedCount.map { $0 - receivedCount }
        guard unsafe pipe.write(bytes, expecting: remaining, mayRefuse: isStoppable) else {
            isPaused = true
            return .pause
        }
        receivedCount += bytes.count
        return .taken
    }

    /// Whether this transfer may use a connection to the address.
    ///
    /// Remembers a refusal for the error.
    /// - Parameter port: `nil` for a connection that was judged when it was made.
    func mayConnect(to address: IPAddress?, port: Int? = nil) -> Bool {
        let policy = configuration.addressPolicy
        if policy.isUnrestricted { return true }
        guard let address else { return false }
        // The proxy was named by the owner of the client. Whatever else is connected to is judged, proxy or not.
        if isProxy(address), port == nil || port == proxy?.port { return true }
        guard let reason = policy.reasonToRefuse(address) else { return true }
        refusal = (address, reason)
        return false
    }

    private func isProxy(_ address: IPAddress) -> Bool {
        guard let proxy else { return false }
        return IPAddress(proxy.host)?.unmapped == address.unmapped
            || table?.proxyAddresses.contains(address.unmapped) == true
    }

    /// The request is about to be sent over a connection that is ready.
    func connectionIsReady() {
        lastActivity = LoopThread.nanoseconds
        table?.reschedule(self)
    }

    private func fail(_ code: HTTPError.Code, _ message: String) -> Bool {
        failure = HTTPError(code: code, message: message, url: hop.request.url, status: head.knownStatus)
        return false
    }

    // MARK: End

    /// Ends the transfer for its caller and its reader; called once by the table of transfers.
    func end(_ result: Result<Void, any Error>) {
        phase = .ended
        table = nil
        recorder.update {
            $0.bytesReceived = receivedCount
            $0.total = .nanoseconds(Int64(clamping: LoopThread.nanoseconds - started))
        }
        pipe.finish(result)
        guard let caller = caller.take() else { return }
        switch result {
        case .failure(let error):
            caller.resume(throwing: error)
        case .success:
            caller.resume(
                throwing: HTTPError(
                    code: .invalidResponse, message: "The answer ended before its head.", url: hop.request.url))
        }
    }
}

extension ResponseHead {
    /// The status, once a head has said one.
    var knownStatus: Int? { status == 0 ? nil : status }
}
