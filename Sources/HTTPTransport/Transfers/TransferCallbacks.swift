import CLibcurl
import CTransportShims

/// libcurl's callbacks: each finds the table behind its context, enters it, and finds the transfer there.
///
/// They run on the event loop, within a call of the table into libcurl, and so may not call the multi handle.
enum TransferCallbacks {
    static let header: transport_data_callback = { bytes, size, count, context in
        let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count).bytes
        return unsafe enter(context, or: 0) { table, transfer in
            switch transfer.receiveHeader(line, at: table.now) {
            case .more: break
            case .complete: table.newHeads.append(transfer)
            case .failed: return 0
            }
            return line.byteCount
        }
    }

    static let body: transport_data_callback = { bytes, size, count, context in
        let chunk = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count).bytes
        // An empty write means nothing, and answering 0 to it would be right by accident.
        guard !chunk.isEmpty else { return 0 }
        return unsafe enter(context, or: 0) { table, transfer in
            switch transfer.receiveBody(chunk, at: table.now) {
            case .taken: chunk.byteCount
            case .pause: Int(CURL_WRITEFUNC_PAUSE)
            case .abort: 0
            }
        }
    }

    /// A new connection: asked for every address that the name leads to, until one is taken.
    static let openSocket: transport_open_socket_callback = { context, _, address in
        guard let address = unsafe address else { return CURL_SOCKET_BAD }
        var bytes: [UInt8] = Array(repeating: 0, count: 16)
        var port: UInt16 = 0
        let count = unsafe transport_address_bytes(address, &bytes, &port)
        let (remote, number) = (IPAddress(bytes: bytes.prefix(count)), Int(port))
        let isAllowed = unsafe enter(context, or: false) { table, transfer in
            transfer.mayConnect(to: remote, port: number, proxyAddresses: table.proxyAddresses)
        }
        guard isAllowed else { return CURL_SOCKET_BAD }
        // Out here: libcurl's address may not be sent into the actor.
        var lacksDescriptor = false
        let socket = unsafe transport_open_socket(address, &lacksDescriptor)
        unsafe enter(context, or: ()) { [lacksDescriptor] _, transfer in transfer.lacksDescriptor = lacksDescriptor }
        return socket
    }

    /// Every request on every connection, also on one that is reused, for which `openSocket` is not asked.
    static let prereq: transport_prereq_callback = { context, remote, _, _, _ in
        guard let context = unsafe context, let remote = unsafe remote else { return CURL_PREREQFUNC_ABORT }
        let isJudged = unsafe !TransferOrder.at(context).settings.configuration.addressPolicy.isUnrestricted
        let address = isJudged ? unsafe IPAddress(String(cString: remote)) : nil
        return unsafe enter(context, or: CURL_PREREQFUNC_ABORT) { table, transfer in
            transfer.noteActivity(at: table.now)
            table.reschedule(transfer)
            let isAllowed = transfer.mayConnect(to: address, port: nil, proxyAddresses: table.proxyAddresses)
            return isAllowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
    }

    /// Before a name is looked up, which libcurl may not do itself: see `TransferTable.lookUp`.
    static let resolverStart: transport_resolver_start_callback = { _, _, context in
        unsafe enter(context, or: 1) { _, transfer in transfer.mayLookUp() ? 0 : 1 }
    }

    /// Enters the table that a transfer belongs to.
    ///
    /// The context is an unretained order, which the table keeps for as long as its handle is added. `@Sendable`, because
    /// what is captured goes into the isolation of an actor.
    @inline(__always)
    private static func enter<Answer: Sendable>(
        _ context: UnsafeMutableRawPointer?, or none: Answer,
        _ body: @Sendable (isolated TransferTable, Transfer) -> Answer
    ) -> Answer {
        guard let context = unsafe context else { return none }
        let order = unsafe TransferOrder.at(context)
        return order.table.onLoop { table in
            guard let transfer = table.transfers[order.id] else { return none }
            return body(table, transfer)
        }
    }
}
