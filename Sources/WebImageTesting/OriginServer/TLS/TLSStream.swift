// SPDX-License-Identifier: MIT
internal import COpenSSL

/// A connection with TLS.
///
/// Used by one thread, with `SIGPIPE` blocked: libssl writes without a guard of its own.
// Safe: the pointer is private, and lives as long as the object.
@safe final class TLSStream: ByteStream {
    let descriptor: CInt
    private let session: OpaquePointer

    /// Creates a stream that owns the session.
    init(session: OpaquePointer, descriptor: CInt) {
        self.descriptor = descriptor
        unsafe self.session = unsafe session
        unsafe SSL_set_fd(session, descriptor)
    }

    deinit {
        unsafe SSL_free(session)
    }

    /// Waits for the handshake.
    func accept() throws(ConnectionEnd) {
        let result = retrying { unsafe SSL_accept(session) }
        if result != 1 { throw .handshake }
    }

    func receive(upTo limit: Int) throws(ConnectionEnd) -> [UInt8] {
        var result: CInt = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, initialized in
            result = retrying { unsafe SSL_read(session, buffer.baseAddress, CInt(clamping: limit)) }
            initialized = Int(max(0, result))
        }
        guard result > 0 || hasEnded(result) else { throw .peer }
        return bytes
    }

    func send(_ bytes: ArraySlice<UInt8>) throws(ConnectionEnd) {
        var rest = bytes
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                retrying { unsafe SSL_write(session, bytes.baseAddress, CInt(clamping: bytes.count)) }
            }
            guard count > 0 else { throw .peer }
            rest = rest.dropFirst(Int(count))
        }
    }

    func sendCloseNotify() {
        // The answer is not awaited, because the peer may send none.
        unsafe SSL_shutdown(session)
    }

    /// Whether a read ended with the peer's `close_notify`.
    private func hasEnded(_ result: CInt) -> Bool {
        unsafe SSL_get_error(session, result) == SSL_ERROR_ZERO_RETURN
    }

    /// Calls libssl again after an interruption by a signal.
    ///
    /// Errors of earlier calls are cleared, as `SSL_get_error` asks.
    private func retrying(_ call: () -> CInt) -> CInt {
        while true {
            ERR_clear_error()
            let result = call()
            if result > 0 { return result }
            let error = unsafe SSL_get_error(session, result)
            if error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE { return result }
        }
    }
}
