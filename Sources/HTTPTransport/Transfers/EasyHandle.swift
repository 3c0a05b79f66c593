// SPDX-License-Identifier: MIT
import CLibcurl
import CTransportShims

/// One of libcurl's easy handles, and the buffer for its error text.
///
/// A handle serves one transfer. libcurl before 8.1 keeps a pointer to the last field of a response after it has freed
/// the field: in a second transfer, a response that begins with a continued line would be written there.
///
/// Isolated state of the transfer table, like the transfer that it serves; not `Sendable`.
@safe final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var lists: [UnsafeMutablePointer<curl_slist>] = unsafe []
    /// Kept for as long as libcurl may use it.
    private let sessions: TLSSessions

    /// - Returns: `nil` when libcurl has no memory.
    init?(_ sessions: TLSSessions) {
        self.sessions = sessions
        guard let pointer = unsafe curl_easy_init() else {
            unsafe errorText.deallocate()
            return nil
        }
        unsafe self.pointer = unsafe pointer
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        unsafe transport_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText)
        unsafe transport_set_pointer(pointer, CURLOPT_SHARE, sessions.share)
    }

    deinit {
        unsafe curl_easy_cleanup(pointer)
        unsafe lists.forEach { unsafe curl_slist_free_all($0) }
        unsafe errorText.deallocate()
    }

    /// libcurl's text about the failure of the last transfer; may be empty.
    var failureText: String { unsafe String(cString: errorText) }

    // MARK: - Options

    func set(_ option: CURLoption, _ value: Int) {
        unsafe transport_set_long(pointer, option, value)
    }

    /// Sets a text, which libcurl copies.
    func set(_ option: CURLoption, _ value: String) {
        _ = unsafe value.withCString { unsafe transport_set_string(pointer, option, $0) }
    }

    func clear(_ option: CURLoption) {
        unsafe transport_set_pointer(pointer, option, nil)
    }

    /// Sets a context for callbacks; the caller keeps it alive while the handle is added to libcurl.
    func set(_ option: CURLoption, context: UnsafeMutableRawPointer) {
        unsafe transport_set_pointer(pointer, option, context)
    }

    /// Lets libcurl sign the request.
    ///
    /// The key is not set unless libcurl can: it would be sent as a password.
    /// - Returns: Whether libcurl can.
    func sign(with scope: String, user: String, password: String) -> Bool {
        guard unsafe scope.withCString({ unsafe transport_set_string(pointer, CURLOPT_AWS_SIGV4, $0) }) == CURLE_OK
        else { return false }
        set(CURLOPT_USERNAME, user)
        set(CURLOPT_PASSWORD, password)
        return true
    }

    /// Sets a list of texts, kept for as long as the handle.
    func set(_ option: CURLoption, list texts: [String]) {
        var head: UnsafeMutablePointer<curl_slist>?
        for text in texts {
            guard let longer = unsafe curl_slist_append(head, text) else { break }
            unsafe head = unsafe longer
        }
        guard let head = unsafe head else { return }
        unsafe lists.append(head)
        unsafe transport_set_list(pointer, option, head)
    }

    /// Sets the bytes to send, which libcurl copies.
    func setBody(_ bytes: [UInt8]) {
        unsafe transport_set_offset(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count))
        // One byte more than is sent, so that even an empty body has an address.
        unsafe (bytes + [0]).withUnsafeBytes {
            _ = unsafe transport_set_string(
                pointer, CURLOPT_COPYPOSTFIELDS, $0.assumingMemoryBound(to: CChar.self).baseAddress)
        }
    }

    // MARK: - Facts

    func integer(_ info: CURLINFO) -> Int {
        var value = 0
        unsafe transport_get_long(pointer, info, &value)
        return value
    }

    /// A number of bytes, or of microseconds.
    func count(_ info: CURLINFO) -> Int {
        var value: curl_off_t = 0
        unsafe transport_get_offset(pointer, info, &value)
        return Int(value)
    }

    /// The bytes of the content that libcurl has sent.
    var sentCount: Int { count(CURLINFO_SIZE_UPLOAD_T) }

    /// A time that libcurl counts in microseconds.
    func duration(_ info: CURLINFO) -> Duration { .microseconds(count(info)) }

    func text(_ info: CURLINFO) -> String? {
        var value: UnsafePointer<CChar>?
        unsafe transport_get_string(pointer, info, &value)
        guard let value = unsafe value else { return nil }
        return unsafe String(cString: value)
    }
}

/// The TLS sessions of a client, which its next connections resume.
///
/// Without it, libcurl keeps them in the handle. Used by one thread at a time, so it has no lock.
@safe final class TLSSessions {
    /// `nil` when libcurl has no memory: then nothing is resumed.
    let share: UnsafeMutableRawPointer?

    init() {
        unsafe share = unsafe transport_make_session_share()
    }

    deinit {
        unsafe curl_share_cleanup(share)
    }
}
