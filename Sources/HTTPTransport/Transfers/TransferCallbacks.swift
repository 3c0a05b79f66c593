import CLibcurl
import CTransportShims

/// libcurl's callbacks: each finds its transfer behind the context and hands the question on.
///
/// The context is an unretained reference: the table of transfers keeps a transfer for as long as its handle is added.
/// They run on the event loop, within a call into libcurl, and so may not call the multi handle.
enum TransferCallbacks {
    static let header: transport_data_callback = { bytes, size, count, context in
        guard let context = unsafe context else { return 0 }
        let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        return unsafe Unmanaged<Transfer>.fromOpaque(context)._withUnsafeGuaranteedRef {
            unsafe $0.receiveHeader(line) ? line.count : 0
        }
    }

    static let body: transport_data_callback = { bytes, size, count, context in
        guard let context = unsafe context else { return 0 }
        let chunk = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        // An empty write means nothing, and answering 0 to it would be right by accident.
        guard chunk.count > 0 else { return 0 }
        return unsafe Unmanaged<Transfer>.fromOpaque(context)._withUnsafeGuaranteedRef {
            switch unsafe $0.receiveBody(chunk) {
            case .taken: chunk.count
            case .pause: Int(CURL_WRITEFUNC_PAUSE)
            case .abort: 0
            }
        }
    }

    /// A new connection: asked for every address that the name leads to, until one is taken.
    static let openSocket: transport_open_socket_callback = { context, _, address in
        guard let context = unsafe context, let address = unsafe address else { return CURL_SOCKET_BAD }
        var bytes: [UInt8] = Array(repeating: 0, count: 16)
        var port: UInt16 = 0
        let count = unsafe transport_address_bytes(address, &bytes, &port)
        let remote = IPAddress(bytes: bytes.prefix(count))
        return unsafe Unmanaged<Transfer>.fromOpaque(context)._withUnsafeGuaranteedRef { transfer in
            guard transfer.mayConnect(to: remote, port: Int(port)) else { return CURL_SOCKET_BAD }
            return unsafe transport_open_socket(address, &transfer.lacksDescriptor)
        }
    }

    /// Every request on every connection, also on one that is reused, for which `openSocket` is not asked.
    static let prereq: transport_prereq_callback = { context, remote, _, _, _ in
        guard let context = unsafe context, let remote = unsafe remote else { return CURL_PREREQFUNC_ABORT }
        let isAllowed = unsafe Unmanaged<Transfer>.fromOpaque(context)._withUnsafeGuaranteedRef { transfer in
            transfer.connectionIsReady()
            return unsafe transfer.mayConnect(to: IPAddress(String(cString: remote)))
        }
        return isAllowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

    /// Before a name is looked up, which libcurl may not do itself: see `CurlMulti.lookUp`.
    static let resolverStart: transport_resolver_start_callback = { _, _, context in
        guard let context = unsafe context else { return 1 }
        return unsafe Unmanaged<Transfer>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.mayLookUp() ? 0 : 1 }
    }
}
