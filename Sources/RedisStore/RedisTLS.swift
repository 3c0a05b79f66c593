// SPDX-License-Identifier: MIT
import CHiredis
import COpenSSL
import EventLoops
import SharedStores

/// TLS on the socket of a connection.
///
/// It is that of OpenSSL and not that of hiredis, which has none in 0.14, and in later versions does not compare the
/// name in the certificate. Of hiredis it needs the reader alone, which takes bytes from anywhere.
///
/// Nothing is sent before the server's certificate has been accepted. It must be for the host of the address, valid
/// now, and signed by an authority of the system or of ``RedisAddress/TLS/authorityPath``.
///
/// Used on the loop alone. The loop's thread blocks `SIGPIPE`: libssl writes without a guard of its own.
@safe final class RedisTLS {
    private let session: OpaquePointer
    private let name: String
    /// Goes with errors until the server has sent a byte. It tells clients that it wants a certificate, but the socket
    /// may lose that when it ends.
    private var hint = ""
    /// What has been given to ``append(_:)``, of which the first `sent` bytes have left.
    private var bytes: [UInt8] = []
    private var sent = 0
    /// A record has at most as many bytes, so no decrypted byte is left in the session, of which the loop would not
    /// know.
    private var record = [UInt8](repeating: 0, count: 16 << 10)

    /// Creates a session, and reads the files of its options.
    ///
    /// - Throws: `SharedStoreError` with code `.unsupported` when a file cannot be used.
    init(_ options: RedisAddress.TLS, for address: RedisAddress) throws(SharedStoreError) {
        name = address.description
        // OpenSSL compares no name at all when it is empty, and any name below a domain when it begins with a dot.
        guard case .port(let host, _) = address.place, !host.isEmpty, !host.hasPrefix("."), !host.utf8.contains(0)
        else {
            throw .unsupported("TLS needs a host and a port, as in rediss://host:port.")
        }
        guard let context = unsafe SSL_CTX_new(TLS_client_method()) else {
            throw .unsupported("OpenSSL has no memory.")
        }
        defer { unsafe SSL_CTX_free(context) }
        unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, CLong(TLS1_2_VERSION), nil)
        // The buffer may move and grow between two calls for the same bytes.
        let mode = SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
        unsafe SSL_CTX_ctrl(context, SSL_CTRL_MODE, CLong(mode), nil)
        if let path = options.authorityPath {
            guard unsafe SSL_CTX_load_verify_file(context, path) == 1 else {
                throw .unsupported("The file of authorities for Redis, \(path), cannot be read, or is not PEM.")
            }
        } else {
            unsafe SSL_CTX_set_default_verify_paths(context)
        }
        if let path = options.certificatePath {
            // Without this, OpenSSL asks for the password of a key at the terminal.
            unsafe SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in -1 }
            guard unsafe SSL_CTX_use_certificate_chain_file(context, path) == 1,
                unsafe SSL_CTX_use_PrivateKey_file(context, options.keyPath ?? path, SSL_FILETYPE_PEM) == 1
            else {
                throw .unsupported("The certificate for Redis, \(path), and its key cannot be read or do not match.")
            }
        } else {
            hint = " If it asks for a certificate, name one: rediss://host:port?cert=FILE&key=FILE."
        }
        guard let session = unsafe SSL_new(context) else { throw .unsupported("OpenSSL has no memory.") }
        unsafe self.session = unsafe session
        guard unsafe Self.demand(host, of: session) else { throw .unsupported("\"\(host)\" cannot be asked for.") }
        unsafe SSL_set_connect_state(session)
    }

    deinit { unsafe SSL_free(session) }

    /// Demands a certificate for the host, which is an address or a name.
    private static func demand(_ host: String, of session: OpaquePointer) -> Bool {
        let parameters = unsafe SSL_get0_param(session)
        if unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1 { return true }
        unsafe SSL_set_hostflags(session, 0x4)  // X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS
        guard unsafe SSL_set1_host(session, host) == 1 else { return false }
        // A server with several certificates chooses by this name, which libssl copies.
        return unsafe host.withCString { text in
            let text = unsafe UnsafeMutableRawPointer(mutating: text)
            return unsafe SSL_ctrl(
                session, SSL_CTRL_SET_TLSEXT_HOSTNAME, CLong(TLSEXT_NAMETYPE_host_name), text) == 1
        }
    }

    /// Takes the next step of the handshake.
    ///
    /// - Returns: What the socket must be ready for before the step after it; `nil` when the handshake has ended.
    /// - Throws: `SharedStoreError`, which says why the server is not trusted.
    func handshake(on descriptor: Int32) throws(SharedStoreError) -> Readiness? {
        if unsafe SSL_get_fd(session) != descriptor { unsafe SSL_set_fd(session, descriptor) }
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(session)
        if result == 1 { return nil }
        switch unsafe SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ: return .reading
        case SSL_ERROR_WANT_WRITE: return .writing
        default: break
        }
        let verdict = unsafe SSL_get_verify_result(session)
        guard verdict == CLong(X509_V_OK) else {
            let text = unsafe X509_verify_cert_error_string(verdict).map { unsafe String(cString: $0) } ?? "\(verdict)"
            throw SharedStoreError(
                code: .unreachable,
                message: "Redis at \(name) is not trusted, because of its certificate: \(text). Correct the "
                    + "certificate or the host, or name the file of its authority: rediss://host:port?cacert=FILE.")
        }
        throw failure("makes no connection with TLS")
    }

    // MARK: - Bytes

    /// Takes bytes that are to be sent.
    func append(_ more: [UInt8]) {
        if sent > bytes.count / 2 {
            bytes.removeFirst(sent)
            sent = 0
        }
        bytes += more
    }

    /// Sends what the socket takes.
    ///
    /// - Returns: Whether nothing is left.
    func flush() throws(SharedStoreError) -> Bool {
        while sent < bytes.count {
            ERR_clear_error()
            let count = unsafe bytes.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent...])
                return unsafe SSL_write(session, rest.baseAddress, CInt(clamping: rest.count))
            }
            guard count > 0 else {
                if mustWait(count) { return false }
                throw failure("has gone")
            }
            sent += Int(count)
        }
        (bytes, sent) = ([], 0)
        return true
    }

    /// Feeds a reader with what the next record has.
    func read(into reader: UnsafeMutablePointer<redisReader>) throws(SharedStoreError) {
        ERR_clear_error()
        let count = unsafe SSL_read(session, &record, CInt(record.count))
        guard count > 0 else {
            if mustWait(count) { return }
            throw failure("has gone")
        }
        hint = ""
        let isFed = unsafe record.withUnsafeBytes { record in
            let text = unsafe record.baseAddress?.assumingMemoryBound(to: CChar.self)
            return unsafe redisReaderFeed(reader, text, Int(count)) == REDIS_OK
        }
        guard isFed else {
            throw SharedStoreError(code: .unreachable, message: "There is no memory for a reply of Redis.")
        }
    }

    private func mustWait(_ result: CInt) -> Bool {
        [SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE].contains(unsafe SSL_get_error(session, result))
    }

    private func failure(_ what: String) -> SharedStoreError {
        let reason = unsafe ERR_reason_error_string(ERR_peek_error()).map { unsafe String(cString: $0) }
        return SharedStoreError(
            code: .unreachable,
            message: "Redis at \(name) \(what): \(reason ?? "the server has ended the connection").\(hint)")
    }
}
