// SPDX-License-Identifier: MIT
import CLibcurl
import CTransportShims
import EventLoops
import PlatformBasics

/// libcurl's callbacks: each finds the table behind its context, enters it, and finds the transfer there.
///
/// They run on the event loop, within a call of the table into libcurl, so they must not call the multi handle.
enum TransferCallbacks {
    static let header: transport_data_callback = { bytes, size, count, context in
        let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count).bytes
        return unsafe enter(context, line, or: 0) { table, order, line in
            guard let transfer = table.transfer(of: order) else { return 0 }
            switch transfer.receiveHeader(line, at: table.now) {
            case .more: break
            case .begun:
                let settings = transfer.settings
                if settings.firstByteTimeout > settings.idleTimeout { table.reschedule(transfer) }
            case .complete:
                table.undelivered.append(transfer)
                // Not at the end: a reader may wait for another transfer while its own is stopped.
                if let isMultiplexed = transfer.answer?.isMultiplexed {
                    table.admission.learn(transfer.origin, isMultiplexed: isMultiplexed)
                }
                if transfer.settings.pace != nil { table.reschedule(transfer) }
                // libcurl sends no more after a refusal, but does not notice it while it waits for more to send.
                if transfer.isStarved, transfer.head.status >= 400 { table.mailbox.post(.sendMore(order.id)) }
            case .failed: return 0
            }
            return line.byteCount
        }
    }

    static let body: transport_data_callback = { bytes, size, count, context in
        let chunk = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count).bytes
        // An empty write has no meaning. Its count, 0, is the right answer.
        guard !chunk.isEmpty else { return 0 }
        return unsafe enter(context, chunk, or: 0) { table, order, chunk in
            switch table.transfer(of: order)?.receiveBody(chunk, at: table.now) {
            case .taken: chunk.byteCount
            case .pause: Int(CURL_WRITEFUNC_PAUSE)
            case .abort, nil: 0
            }
        }
    }

    /// Called for a new connection: for every address of the name, until one is accepted.
    static let openSocket: transport_open_socket_callback = { context, _, address in
        guard let address = unsafe address else { return CURL_SOCKET_BAD }
        var bytes: [UInt8] = Array(repeating: 0, count: 16)
        var port: UInt16 = 0
        let count = unsafe transport_address_bytes(address, &bytes, &port)
        let remote = (address: IPAddress(bytes: bytes.prefix(count)), port: Int(port))
        let isAllowed = unsafe enter(context, remote, or: false) { table, order, remote in
            table.transfer(of: order)?.mayConnect(
                to: remote.address, port: remote.port, proxyAddresses: table.proxyAddresses) ?? false
        }
        guard isAllowed else { return CURL_SOCKET_BAD }
        // Outside the actor: libcurl's address cannot be sent into it.
        var lacksDescriptor = false
        let socket = unsafe transport_open_socket(address, &lacksDescriptor)
        unsafe enter(context, (socket, lacksDescriptor), or: ()) { table, order, made in
            table.transfer(of: order)?.lacksDescriptor = made.1
            if made.0 != CURL_SOCKET_BAD { table.multi.sockets.opened(made.0) }
        }
        return socket
    }

    /// Called to close a connection, which may be long after its last transfer: the context is the table.
    static let closeSocket: transport_close_socket_callback = { context, socket in
        if let context = unsafe context {
            unsafe Unmanaged<TransferTable>.fromOpaque(context)._withUnsafeGuaranteedRef { table in
                table.assumeIsolated { $0.multi.sockets.willClose(socket) }
            }
        }
        return close(socket)
    }

    /// Called for every request on every connection, also on a reused one, for which `openSocket` is not called.
    static let prereq: transport_prereq_callback = { context, remote, _, _, _ in
        guard let context = unsafe context, let remote = unsafe remote else { return CURL_PREREQFUNC_ABORT }
        let isJudged = unsafe TransferOrder.at(context).settings.judgesAddresses
        let address = isJudged ? unsafe IPAddress(String(cString: remote)) : nil
        return unsafe enter(context, address, or: CURL_PREREQFUNC_ABORT) { table, order, address in
            guard let transfer = table.transfer(of: order) else { return CURL_PREREQFUNC_ABORT }
            transfer.noteActivity(at: table.now)
            table.reschedule(transfer)
            let isAllowed =
                transfer.mayConnect(to: address, port: nil, proxyAddresses: table.proxyAddresses)
                && transfer.hasPinnedPeer()
            if isAllowed { transfer.order.reports?(.sending(byteCount: 0)) }
            return isAllowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
    }

    /// Called for the next bytes of the content.
    static let read: transport_read_callback = { buffer, size, count, context in
        let (capacity, isOverflow) = size.multipliedReportingOverflow(by: count)
        guard let buffer = unsafe buffer, !isOverflow else { return Int(CURL_READFUNC_ABORT) }
        let piece = unsafe enter(context, capacity, or: Transfer.ContentPiece.abort) { table, order, capacity in
            table.transfer(of: order)?.nextContent(upTo: capacity, at: table.now) ?? .abort
        }
        switch piece {
        case .pause: return Int(CURL_READFUNC_PAUSE)
        case .abort: return Int(CURL_READFUNC_ABORT)
        case .bytes(let bytes):
            unsafe bytes.withUnsafeBytes {
                unsafe UnsafeMutableRawBufferPointer(start: buffer, count: capacity).copyMemory(from: $0)
            }
            return bytes.count
        }
    }

    /// Called to begin the content anew on another connection.
    static let seek: transport_seek_callback = { context, offset, origin in
        guard offset == 0, origin == SEEK_SET else { return CURL_SEEKFUNC_CANTSEEK }
        return unsafe enter(context, (), or: CURL_SEEKFUNC_FAIL) { table, order, _ in
            table.transfer(of: order)?.rewindContent() == true ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
        }
    }

    /// Called before a name is looked up, which libcurl may not do itself: see `TransferTable.lookUp`.
    static let resolverStart: transport_resolver_start_callback = { _, _, context in
        unsafe enter(context, (), or: 1) { table, order, _ in table.transfer(of: order)?.mayLookUp() == true ? 0 : 1 }
    }

    /// Enters the table that a transfer belongs to.
    ///
    /// The context is an unretained order, which the table keeps while its handle is added to libcurl.
    @inline(__always)
    private static func enter<Input: Sendable & ~Escapable, Answer: Sendable>(
        _ context: UnsafeMutableRawPointer?, _ input: Input, or none: Answer,
        _ body: @Sendable (isolated TransferTable, TransferOrder, Input) -> Answer
    ) -> Answer {
        guard let context = unsafe context else { return none }
        return unsafe Unmanaged<TransferOrder>.fromOpaque(context)._withUnsafeGuaranteedRef { order in
            order.table.assumeIsolated { body($0, order, input) }
        }
    }
}
