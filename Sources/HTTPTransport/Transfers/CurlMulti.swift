import CLibcurl
import CTransportShims
import Synchronization

/// libcurl's multi handle with everything that hangs on it: sockets, timer, easy handles, transfers and their deadlines.
///
/// Belongs to the event loop: opened, used and closed on its thread, which debug builds assert.
// Unchecked: nothing but `isUsable`, a constant, is touched off the owner of the event loop.
@safe final class CurlMulti: @unchecked Sendable {
    private let handle: UnsafeMutableRawPointer?
    private unowned(unsafe) var loop: EventLoop?
    private let configuration: HTTPClient.Configuration
    private var timer: UInt64?
    private var running: Int32 = 0
    /// When to look at the deadlines again within a turn.
    var nextExpiry: UInt64 = 0
    /// Nanoseconds after which the deadlines are looked at within a turn.
    static let expiryInterval: UInt64 = 20_000_000

    var transfers: [UInt64: Transfer] = [:]
    var deadlines = DeadlineHeap<Transfer>()
    var admission: AdmissionQueue
    /// Transfers whose callers wait for the end of the turn, by which the body of a small answer is there too.
    var transfersWithNewHead: [Transfer] = []
    /// The transfers that wait for each name.
    var lookUps: [String: [UInt64]] = [:]
    /// Addresses that the name of the proxy led to.
    var proxyAddresses: Set<IPAddress> = []
    private(set) var resolver: NameResolver?
    private let lookUp: NameResolver.LookUp
    private var idleHandles: [EasyHandle] = []
    /// Why no transfer can be started any more.
    private(set) var closedBecause: String?

    /// libcurl's process-wide set-up, which must happen before anything else and only once.
    private static let globalResult = curl_global_init(Int(CURL_GLOBAL_ALL))

    init(configuration: HTTPClient.Configuration, lookUp: @escaping NameResolver.LookUp) {
        self.configuration = configuration
        self.lookUp = lookUp
        admission = AdmissionQueue(configuration)
        unsafe handle = Self.globalResult == CURLE_OK ? curl_multi_init() : nil
    }

    /// Whether libcurl came up.
    var isUsable: Bool { unsafe handle != nil }

    func assertOnLoop() {
        unsafe assert(loop?.isOnLoop ?? true, "The transfers were touched off their event loop.")
    }

    // MARK: - Life

    /// The first thing on the loop's thread.
    func open(on loop: EventLoop) {
        unsafe self.loop = loop
        resolver = NameResolver(limit: configuration.maximumNameLookups, lookUp: lookUp) { [weak loop] name, result in
            loop?.post(.resolved(name, result))
        }
        guard let handle = unsafe handle else { return }
        let set = { (option: CURLMoption, value: Int) in _ = unsafe transport_multi_set_long(handle, option, value) }
        set(CURLMOPT_MAXCONNECTS, max(1, configuration.maximumIdleConnections))
        // The admission queue stays below these; they bound what it cannot see, such as HTTP/2 servers with few streams.
        set(CURLMOPT_MAX_HOST_CONNECTIONS, max(1, configuration.maximumConnectionsPerHost))
        set(CURLMOPT_MAX_TOTAL_CONNECTIONS, max(1, configuration.maximumConnections))
        set(CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX)
        unsafe transport_multi_set_context(handle, Unmanaged.passUnretained(self).toOpaque())
        unsafe transport_multi_set_callbacks(
            handle,
            { _, socket, what, context, known in
                guard let context = unsafe context else { return -1 }
                return unsafe Unmanaged<CurlMulti>.fromOpaque(context)._withUnsafeGuaranteedRef {
                    unsafe $0.socketChanged(socket, what: what, isKnown: known != nil) ? 0 : -1
                }
            },
            { _, milliseconds, context in
                guard let context = unsafe context else { return -1 }
                return unsafe Unmanaged<CurlMulti>.fromOpaque(context)._withUnsafeGuaranteedRef {
                    $0.timer = milliseconds < 0 ? nil : LoopThread.nanoseconds + UInt64(milliseconds) * 1_000_000
                    return 0
                }
            })
    }

    /// The last thing on the loop's thread: every transfer fails, every connection is closed.
    func close(because reason: String) {
        assertOnLoop()
        guard closedBecause == nil else { return }
        closedBecause = reason
        for id in transfers.keys.sorted() { end(id, .failure(HTTPError(code: .shutDown, message: reason))) }
        // Forgets the queues of those that ended just now.
        _ = admission.admit()
        idleHandles = []
        if let handle = unsafe handle { unsafe curl_multi_cleanup(handle) }
    }

    // MARK: - Turns of the loop

    private func socketChanged(_ socket: Int32, what: Int32, isKnown: Bool) -> Bool {
        guard let handle = unsafe handle, let loop = unsafe loop else { return false }
        if what == CURL_POLL_REMOVE {
            loop.forget(socket)
            unsafe curl_multi_assign(handle, socket, nil)
            return true
        }
        guard loop.watch(socket, for: what, isNew: !isKnown) else { return false }
        if !isKnown { unsafe curl_multi_assign(handle, socket, UnsafeMutableRawPointer(bitPattern: 1)) }
        return true
    }

    func socketIsReady(_ socket: Int32, _ actions: Int32) {
        act(on: socket, actions)
        // Many busy sockets make a long turn, and limits hold within it.
        if LoopThread.nanoseconds >= nextExpiry { expireDeadlines() }
    }

    private func act(on socket: Int32, _ actions: Int32) {
        guard let handle = unsafe handle else { return }
        transport_allow_tls_reads()
        unsafe curl_multi_socket_action(handle, socket, actions, &running)
    }

    /// How long the loop may sleep; -1 for as long as nothing happens.
    func millisecondsToNextDeadline() -> Int32 {
        guard let next = [timer, deadlines.first?.wakeTime].compactMap(\.self).min() else { return -1 }
        let now = LoopThread.nanoseconds
        guard next > now else { return 0 }
        return Int32(clamping: (next - now + 999_999) / 1_000_000)
    }

    /// What is due after the sockets had their turn.
    func finishTurn() {
        assertOnLoop()
        guard let handle = unsafe handle else { return }
        if let timer, timer <= LoopThread.nanoseconds {
            self.timer = nil
            act(on: CURL_SOCKET_TIMEOUT, 0)
        }
        var remaining: Int32 = 0
        while let message = unsafe curl_multi_info_read(handle, &remaining) {
            var result = CURLE_OK
            guard unsafe transport_message_is_done(message, &result) != 0 else { continue }
            var context: UnsafeMutableRawPointer?
            unsafe transport_get_pointer(message.pointee.easy_handle, CURLINFO_PRIVATE, &context)
            guard let context = unsafe context else { continue }
            // The table keeps the transfer until `finish`, which takes its handle out of libcurl.
            finish(unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue(), result)
        }
        for transfer in transfersWithNewHead where transfer.phase == .running { transfer.deliverHead() }
        transfersWithNewHead.removeAll(keepingCapacity: true)
        expireDeadlines()
    }

    // MARK: - Handles

    /// Adds a transfer to libcurl.
    ///
    /// Returns whether libcurl took it.
    func add(_ transfer: Transfer) -> Bool {
        assertOnLoop()
        guard let handle = unsafe handle, let easy = idleHandles.popLast() ?? EasyHandle() else { return false }
        easy.reset()
        transfer.configure(easy)
        return unsafe curl_multi_add_handle(handle, easy.pointer) == CURLM_OK
    }

    /// Takes a transfer out of libcurl: closes an HTTP/1.1 connection in use, resets an HTTP/2 stream.
    func remove(_ transfer: Transfer) {
        assertOnLoop()
        guard let handle = unsafe handle, let easy = transfer.easy else { return }
        transfer.easy = nil
        unsafe curl_multi_remove_handle(handle, easy.pointer)
        if idleHandles.count < Self.idleHandleLimit { idleHandles.append(easy) }
    }

    /// Lets libcurl deliver again; it may call back at once.
    ///
    /// - Returns: What went wrong when a callback ended the transfer; libcurl does not tell otherwise.
    func unpause(_ easy: EasyHandle) -> CURLcode {
        assertOnLoop()
        transport_allow_tls_reads()
        return unsafe curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
    }

    /// Handles kept for reuse; making one costs about a tenth of a small request.
    private static let idleHandleLimit = 256
}
