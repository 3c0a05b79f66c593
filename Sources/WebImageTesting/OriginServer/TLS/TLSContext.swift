// SPDX-License-Identifier: MIT
internal import COpenSSL

/// What all TLS connections of a server share: key, certificate and protocol versions.
// Safe: the pointer is private, and lives as long as the object. Sendable: libssl counts the references to a context
// atomically, and nothing changes it after `init`.
@safe final class TLSContext: @unchecked Sendable {
    private let context: OpaquePointer

    /// Creates a context from a key and a certificate.
    ///
    /// - Throws: ``OriginError`` with code `.certificate` when they cannot be read or do not belong together.
    init(
        _ certificate: TestCertificate, configuration: OriginServer.Configuration,
        applicationProtocol: ApplicationProtocol = .http1
    ) throws(OriginError) {
        guard let context = unsafe SSL_CTX_new(TLS_server_method()) else {
            throw OriginError(.system, "OpenSSL has no memory for a context.")
        }
        unsafe self.context = unsafe context
        guard unsafe SSL_CTX_use_certificate_chain_file(context, certificate.certificatePath) == 1,
            unsafe SSL_CTX_use_PrivateKey_file(context, certificate.keyPath, SSL_FILETYPE_PEM) == 1,
            unsafe SSL_CTX_check_private_key(context) == 1
        else { throw OriginError(.certificate, "OpenSSL cannot use the certificate and its key.") }

        unsafe SSL_CTX_set_alpn_select_cb(
            context,
            { _, chosen, chosenCount, offered, offeredCount, isHTTP2 in
                let wanted = unsafe isHTTP2 == nil ? ApplicationProtocol.http1 : .http2
                return unsafe TLSContext.selectProtocol(wanted, chosen, chosenCount, offered, offeredCount)
            }, applicationProtocol == .http2 ? UnsafeMutableRawPointer(bitPattern: 1) : nil)
        if configuration.newestTLSVersion < .v12 {
            // OpenSSL's default security level excludes the old versions.
            unsafe SSL_CTX_set_security_level(context, 0)
        }
        let newest = configuration.newestTLSVersion.number
        unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, min(newest, CLong(TLS1_2_VERSION)), nil)
        unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, newest, nil)
        if configuration.requiresClientCertificate {
            unsafe SSL_CTX_load_verify_file(context, certificate.rootPath)
            unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        }
    }

    deinit {
        unsafe SSL_CTX_free(context)
    }

    /// Performs the TLS handshake over an accepted socket.
    ///
    /// - Throws: `.handshake` when it fails or the peer leaves.
    func accept(_ descriptor: CInt) throws(ConnectionEnd) -> TLSStream {
        guard let session = unsafe SSL_new(context) else { throw .handshake }
        let stream = unsafe TLSStream(session: session, descriptor: descriptor)
        try stream.accept()
        return stream
    }

    /// The protocols for ALPN.
    enum ApplicationProtocol: String {
        case http1 = "http/1.1"
        case http2 = "h2"
    }

    /// Selects the protocol if the client offers it, and continues without ALPN otherwise.
    private static func selectProtocol(
        _ protocolName: ApplicationProtocol, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
        _ chosenCount: UnsafeMutablePointer<UInt8>?,
        _ offered: UnsafePointer<UInt8>?, _ offeredCount: CUnsignedInt
    ) -> CInt {
        guard let chosen = unsafe chosen, let chosenCount = unsafe chosenCount, let offered = unsafe offered
        else { return SSL_TLSEXT_ERR_NOACK }
        // The offer is a list of names, each after one byte with its size: RFC 7301, section 3.1.
        let list = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredCount))
        let wanted = Array(protocolName.rawValue.utf8)
        var index = 0
        while index < list.count {
            let start = index + 1
            let end = unsafe start + Int(list[index])
            guard end <= list.count else { break }
            if unsafe list[start..<end].elementsEqual(wanted) {
                // Points into the client's offer, as the callback's contract allows.
                unsafe chosen.pointee = unsafe offered + start
                unsafe chosenCount.pointee = UInt8(wanted.count)
                return SSL_TLSEXT_ERR_OK
            }
            index = end
        }
        return SSL_TLSEXT_ERR_NOACK
    }
}
