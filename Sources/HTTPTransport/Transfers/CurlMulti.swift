// SPDX-License-Identifier: MIT
import CLibcurl
import CTransportShims
import EventLoops

/// libcurl's multi handle with its sockets, its timer and the easy handles.
///
/// Isolated state of the transfer table, and not `Sendable`.
@safe final class CurlMulti {
    /// `nil` when libcurl has no memory, and after the end.
    private var handle: UnsafeMutableRawPointer?
    private let configuration: HTTPClient.Configuration
    /// What the event loop watches.
    var sockets: WatchedSockets
    /// The number with which the sockets are watched.
    private var token: UInt32 = 0
    /// When libcurl must be called, in nanoseconds of the loop's clock.
    private(set) var timer: UInt64?
    private var running: Int32 = 0
    private let sessions = TLSSessions()

    /// libcurl's process-wide set-up, which must happen once and before anything else.
    private static let globalResult = curl_global_init(Int(CURL_GLOBAL_ALL))

    init(_ configuration: HTTPClient.Configuration, loop: EventLoop) {
        self.configuration = configuration
        sockets = WatchedSockets(of: loop)
        unsafe handle = Self.globalResult == CURLE_OK ? curl_multi_init() : nil
    }

    deinit {
        // A handle without a thread has no callbacks, and any thread may close it.
        close()
    }

    /// The first call on the loop.
    func open(for table: TransferTable, with token: UInt32) {
        self.token = token
        let set = { [handle = unsafe handle] (option: CURLMoption, value: Int) in
            _ = unsafe transport_multi_set_long(handle, option, value)
        }
        set(CURLMOPT_MAXCONNECTS, max(1, configuration.maximumIdleConnections))
        // The admission queue stays below these limits. They bound what it does not know, such as HTTP/2 servers with
        // few streams.
        set(CURLMOPT_MAX_HOST_CONNECTIONS, max(1, configuration.maximumConnectionsPerHost))
        set(CURLMOPT_MAX_TOTAL_CONNECTIONS, max(1, configuration.maximumConnections))
        set(CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX)
        // Unretained: the callbacks run within calls on this handle, and the table makes all of these calls.
        unsafe transport_multi_set_context(handle, Unmanaged.passUnretained(table).toOpaque())
        unsafe transport_multi_set_callbacks(
            handle,
            { _, socket, what, context, _ in
                guard let context = unsafe context else { return -1 }
                return unsafe Unmanaged<TransferTable>.fromOpaque(context)._withUnsafeGuaranteedRef { table in
                    table.assumeIsolated { $0.multi.socketChanged(socket, what: what) }
                }
            },
            { _, milliseconds, context in
                guard let context = unsafe context else { return -1 }
                return unsafe Unmanaged<TransferTable>.fromOpaque(context)._withUnsafeGuaranteedRef { table in
                    table.assumeIsolated { $0.multi.setTimer(milliseconds) }
                }
            })
    }

    /// The last call: closes every connection.
    func close() {
        unsafe curl_multi_cleanup(handle.take())
    }

    // MARK: - Sockets and time

    private func socketChanged(_ socket: Int32, what: Int32) -> Int32 {
        if what == CURL_POLL_REMOVE {
            sockets.withdraw(socket)
            return 0
        }
        var interest: Readiness = []
        if what & CURL_POLL_IN != 0 { interest.insert(.reading) }
        if what & CURL_POLL_OUT != 0 { interest.insert(.writing) }
        return sockets.announce(socket, for: interest, token: token) ? 0 : -1
    }

    private func setTimer(_ milliseconds: Int) -> Int32 {
        switch milliseconds {
        case ..<0: timer = nil
        // 0 is before every time: a transfer that was just added begins in the same turn.
        case 0: timer = 0
        default: timer = EventLoop.nanoseconds + UInt64(milliseconds) * 1_000_000
        }
        return 0
    }

    /// Lets libcurl read and write a socket, if a transfer uses it.
    func act(on socket: Int32, _ readiness: Readiness) {
        guard sockets.isInUse(socket) else { return }
        var actions: Int32 = 0
        if readiness.contains(.reading) { actions |= CURL_CSELECT_IN }
        if readiness.contains(.writing) { actions |= CURL_CSELECT_OUT }
        if readiness.contains(.failing) { actions |= CURL_CSELECT_ERR }
        act(on: socket, actions)
    }

    /// Lets libcurl do the work of its timer, if the timer is due.
    func runTimer(at now: UInt64) {
        guard let timer, timer <= now else { return }
        self.timer = nil
        act(on: CURL_SOCKET_TIMEOUT, 0)
    }

    private func act(on socket: Int32, _ actions: Int32) {
        guard let handle = unsafe handle else { return }
        transport_allow_tls_reads()
        unsafe curl_multi_socket_action(handle, socket, actions, &running)
    }

    /// The number of a transfer that libcurl has finished, and its result.
    func nextDone() -> (id: UInt64, result: CURLcode)? {
        var remaining: Int32 = 0
        while let message = unsafe curl_multi_info_read(handle, &remaining) {
            var result = CURLE_OK
            guard unsafe transport_message_is_done(message, &result) != 0 else { continue }
            var context: UnsafeMutableRawPointer?
            unsafe transport_get_pointer(message.pointee.easy_handle, CURLINFO_PRIVATE, &context)
            // The table keeps the transfer, and the transfer keeps the order, until the handle is removed from libcurl.
            if let context = unsafe context { return unsafe (TransferOrder.at(context).id, result) }
        }
        return nil
    }

    // MARK: - Handles

    /// A handle for one transfer; `nil` when libcurl has no memory.
    func makeHandle() -> EasyHandle? { EasyHandle(sessions) }

    /// Adds a handle to libcurl, which soon sets its timer for it.
    /// - Returns: Whether libcurl took it.
    func add(_ easy: EasyHandle) -> Bool {
        unsafe curl_multi_add_handle(handle, easy.pointer) == CURLM_OK
    }

    /// Whether this libcurl can stop one stream of an HTTP/2 connection and go on with it later.
    static let stopsStreams = canStopStreams(version: transport_curl_version())

    /// Versions with no known fault. Those from 8.0 to 8.13 let a stream stall, or end it before its bytes; 8.16.0
    /// fails it.
    /// - Parameter version: A byte each for the three parts of the number.
    static func canStopStreams(version: UInt32) -> Bool {
        (0x07_58_01..<0x08_00_00).contains(version) || (version >= 0x08_0E_00 && version != 0x08_10_00)
    }

    /// Removes a handle from libcurl: closes an HTTP/1.1 connection in use, resets an HTTP/2 stream.
    func remove(_ easy: EasyHandle) {
        unsafe curl_multi_remove_handle(handle, easy.pointer)
    }

    /// Lets libcurl deliver again; it may call back at once.
    ///
    /// - Returns: The error when a callback ended the transfer, which libcurl does not report otherwise.
    func unpause(_ easy: EasyHandle) -> CURLcode {
        transport_allow_tls_reads()
        return unsafe curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
    }
}
