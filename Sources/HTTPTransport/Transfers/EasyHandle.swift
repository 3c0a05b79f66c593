// SPDX-License-Identifier: MIT
import CLibcurl
import CTransportShims

/// One of libcurl's easy handles, and the buffer for its error text.
///
/// Isolated state of the transfer table, like the transfer that it serves; not `Sendable`.
@safe final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var lists: [UnsafeMutablePointer<curl_slist>] = unsafe []
    /// The requests that the options are set for.
    var preparation: Preparation?

    /// - Returns: `nil` when libcurl has no memory.
    init?() {
        guard let pointer = unsafe curl_easy_init() else {
            unsafe errorText.deallocate()
            return nil
        }
        unsafe self.pointer = unsafe pointer
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        unsafe curl_easy_cleanup(pointer)
        freeLists()
        unsafe errorText.deallocate()
    }

    /// GET requests without content, for one origin with the same settings and fields: their options differ only in
    /// the URL and the context.
    struct Preparation {
        let settings: TransferSettings
        let origin: Origin
        let headers: HTTPHeaders

        func fits(_ order: TransferOrder) -> Bool {
            settings === order.settings && origin == order.hop.origin && headers == order.hop.request.headers
        }
    }

    /// Notes that the options serve such requests as this one.
    func prepare(for order: TransferOrder) {
        preparation = Preparation(
            settings: order.settings, origin: order.hop.origin, headers: order.hop.request.headers)
    }

    /// Resets all options. Connections, names and TLS sessions belong to the multi handle and are kept.
    func reset() {
        preparation = nil
        unsafe curl_easy_reset(pointer)
        freeLists()
        unsafe errorText.pointee = 0
        unsafe transport_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText)
    }

    private func freeLists() {
        unsafe lists.forEach { unsafe curl_slist_free_all($0) }
        unsafe lists = []
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

    /// Sets a context for callbacks; the caller keeps it alive until the handle is reset.
    func set(_ option: CURLoption, context: UnsafeMutableRawPointer) {
        unsafe transport_set_pointer(pointer, option, context)
    }

    /// Sets a list of texts, kept until the next reset.
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

    /// Sets bytes, which libcurl copies.
    func set(_ option: CURLoption, bytes: [UInt8]) {
        _ = unsafe bytes.withUnsafeBytes { unsafe transport_set_blob(pointer, option, $0.baseAddress, $0.count) }
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

    /// A number of bytes.
    func count(_ info: CURLINFO) -> Int {
        var value: curl_off_t = 0
        unsafe transport_get_offset(pointer, info, &value)
        return Int(value)
    }

    /// A time that libcurl counts in microseconds.
    func duration(_ info: CURLINFO) -> Duration {
        var value: curl_off_t = 0
        unsafe transport_get_offset(pointer, info, &value)
        return .microseconds(value)
    }

    func text(_ info: CURLINFO) -> String? {
        var value: UnsafePointer<CChar>?
        unsafe transport_get_string(pointer, info, &value)
        guard let value = unsafe value else { return nil }
        return unsafe String(cString: value)
    }
}
