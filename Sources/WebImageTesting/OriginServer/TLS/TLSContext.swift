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
        applicationProtocol: StaticString = TLSContext.http1
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
            { _, chosen, chosenCount, offered, offeredCount, wanted in
                // What the client does not offer goes on without ALPN.
                guard let name = unsafe wanted?.assumingMemoryBound(to: UInt8.self) else { return SSL_TLSEXT_ERR_NOACK }
                var found: UnsafeMutablePointer<UInt8>?
                let status = unsafe SSL_select_next_proto(
                    &found, chosenCount, name, CUnsignedInt(name[0]) + 1, offered, offeredCount)
                unsafe chosen?.pointee = unsafe UnsafePointer(found)
                return status == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK
            }, UnsafeMutableRawPointer(mutating: applicationProtocol.utf8Start))
        let newest = configuration.newestTLSVersion.rawValue
        if newest < CLong(TLS1_2_VERSION) {
            // OpenSSL's default security level excludes the old versions.
            unsafe SSL_CTX_set_security_level(context, 0)
        }
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

    /// A list of one protocol for ALPN: its name after a byte with its size; RFC 7301, section 3.1.
    static let http1: StaticString = "\u{8}http/1.1"
    static let http2: StaticString = "\u{2}h2"
}
