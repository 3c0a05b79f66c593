import CLibcurl
import CTransportShims

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
            case .complete: table.newHeads.append(transfer)
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
        unsafe enter(context, lacksDescriptor, or: ()) { table, order, lacksDescriptor in
            table.transfer(of: order)?.lacksDescriptor = lacksDescriptor
        }
        return socket
    }

    /// Called for every request on every connection, also on a reused one, for which `openSocket` is not called.
    static let prereq: transport_prereq_callback = { context, remote, _, _, _ in
        guard let context = unsafe context, let remote = unsafe remote else { return CURL_PREREQFUNC_ABORT }
        let isJudged = unsafe !TransferOrder.at(context).settings.configuration.addressPolicy.isUnrestricted
        let address = isJudged ? unsafe IPAddress(String(cString: remote)) : nil
        return unsafe enter(context, address, or: CURL_PREREQFUNC_ABORT) { table, order, address in
            guard let transfer = table.transfer(of: order) else { return CURL_PREREQFUNC_ABORT }
            transfer.noteActivity(at: table.now)
            table.reschedule(transfer)
            let isAllowed = transfer.mayConnect(to: address, port: nil, proxyAddresses: table.proxyAddresses)
            return isAllowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
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
        _ body: @escaping @Sendable (isolated TransferTable, TransferOrder, Input) -> Answer
    ) -> Answer {
        guard let context = unsafe context else { return none }
        return unsafe Unmanaged<TransferOrder>.fromOpaque(context)._withUnsafeGuaranteedRef { order in
            order.table.onLoop(order, input, body)
        }
    }
}
