// SPDX-License-Identifier: MIT
import CLibcurl
import CTransportShims
import PlatformBasics

extension Transfer {
    /// Sets the options of a new handle.
    func configure(_ easy: EasyHandle) {
        let context = unsafe Unmanaged.passUnretained(order).toOpaque()
        for option in Self.contextOptions { unsafe easy.set(option, context: context) }
        unsafe transport_set_data_callback(easy.pointer, CURLOPT_HEADERFUNCTION, TransferCallbacks.header)
        unsafe transport_set_data_callback(easy.pointer, CURLOPT_WRITEFUNCTION, TransferCallbacks.body)
        unsafe transport_set_open_socket(easy.pointer, TransferCallbacks.openSocket)
        unsafe transport_set_close_socket(easy.pointer, TransferCallbacks.closeSocket)
        // Unretained: the connections end before the table does, within its call of libcurl.
        unsafe easy.set(CURLOPT_CLOSESOCKETDATA, context: Unmanaged.passUnretained(order.table).toOpaque())
        unsafe transport_set_prereq(easy.pointer, TransferCallbacks.prereq)
        unsafe transport_set_resolver_start(easy.pointer, TransferCallbacks.resolverStart)
        if let resolvedEntry { easy.set(CURLOPT_RESOLVE, list: [resolvedEntry]) }
        setConnection(easy)
        if origin.isSecure || settings.proxy != nil { setTLS(easy) }
        setRequest(easy)
    }

    /// The options with the context of the callbacks.
    private static let contextOptions = [
        CURLOPT_PRIVATE, CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_OPENSOCKETDATA, CURLOPT_PREREQDATA,
        CURLOPT_RESOLVER_START_DATA,
    ]

    private func setConnection(_ easy: EasyHandle) {
        easy.set(CURLOPT_URL, order.hop.target)
        easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        easy.set(CURLOPT_FOLLOWLOCATION, 0)
        // Newer versions of libcurl do not sign a path that they must leave as it is.
        easy.set(CURLOPT_PATH_AS_IS, signature == nil ? 1 : 0)
        // A field of the request takes its place.
        easy.set(CURLOPT_USERAGENT, settings.configuration.userAgent)
        easy.set(CURLOPT_NOSIGNAL, 1)
        let connectTime = (settings.configuration.connectTimeout - lookUpTime).clampedNanoseconds
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, Int(connectTime / 1_000_000))
        easy.set(
            CURLOPT_MAXAGE_CONN, Int(settings.configuration.idleConnectionLifetime.clampedNanoseconds / 1_000_000_000))
        // libcurl frees the buffer with every transfer. Above 64 KB each of these calls makes the allocator consolidate
        // its lists.
        easy.set(CURLOPT_BUFFERSIZE, 32 << 10)
        // Empty texts keep libcurl from reading the proxy and its exceptions from the environment.
        easy.set(CURLOPT_PROXY, settings.configuration.proxy?.absoluteString ?? "")
        easy.set(CURLOPT_NOPROXY, "")
        // The default, set explicitly: a file in the home directory adds no credentials.
        easy.set(CURLOPT_NETRC, 0)  // CURL_NETRC_IGNORED, whose type depends on the version
        easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        let usesHTTP2 = origin.isSecure && settings.configuration.allowsHTTP2
        easy.set(CURLOPT_HTTP_VERSION, Int(usesHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
        // A transfer waits for a connection that is being made, because it may be HTTP/2.
        if usesHTTP2 { easy.set(CURLOPT_PIPEWAIT, 1) }
        if usesHTTP2, priority != .normal { easy.set(CURLOPT_STREAM_WEIGHT, priority.streamWeight) }
        if needsFreshConnection { easy.set(CURLOPT_FRESH_CONNECT, 1) }
    }

    private func setTLS(_ easy: EasyHandle) {
        unsafe transport_watch_tls(easy.pointer)
        // libcurl parses the bundle once and shares it, but only while no directory is set. Some distributions set one
        // at build time; then every connection costs 18 ms of parsing.
        easy.clear(CURLOPT_CAPATH)
        let policy = settings.tls(for: origin.host)
        switch policy.trust {
        case .system:
            break
        case .only(let file):
            easy.set(CURLOPT_CAINFO, file)
        case .systemAnd(let file):
            easy.set(CURLOPT_CAINFO, file)
            // libcurl searches the directory of the system by hash, one small file at a time.
            if let directory = unsafe transport_default_ca_directory() {
                easy.set(CURLOPT_CAPATH, unsafe String(cString: directory))
            }
        case .anyCertificate:
            easy.set(CURLOPT_SSL_VERIFYPEER, 0)
            easy.set(CURLOPT_SSL_VERIFYHOST, 0)
        }
        let lowest = policy.minimumVersion == .v13 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2
        easy.set(CURLOPT_SSLVERSION, Int(lowest))
        // A resumed session has no verified chain to look for pins in.
        if policy.pins != nil { easy.set(CURLOPT_SSL_SESSIONID_CACHE, 0) }
        if let certificate = policy.clientCertificate, settings.showsClientCertificate(to: origin) {
            easy.set(CURLOPT_SSLCERT, certificate.certificatePath)
            easy.set(CURLOPT_SSLKEY, certificate.keyPath)
        }
    }

    private func setRequest(_ easy: EasyHandle) {
        let request = order.hop.request
        let sendsContent = request.hasContent || ["POST", "PUT", "PATCH"].contains(request.method)
        if order.upload != nil || request.body?.count ?? 0 > Self.largestCopy {
            setUpload(easy, byteCount: order.upload.map { $0.byteCount } ?? request.body?.count)
        } else if sendsContent {
            easy.set(CURLOPT_POST, 1)
            easy.setBody(request.body ?? [])
        }
        switch request.method {
        case "HEAD": easy.set(CURLOPT_NOBODY, 1)
        case "GET" where !sendsContent: easy.set(CURLOPT_HTTPGET, 1)
        default: easy.set(CURLOPT_CUSTOMREQUEST, request.method)
        }
        var lines = headerLines(sendsContent: sendsContent)
        if let cookie = order.cookie { lines.append("Cookie: \(cookie)") }
        if let signature { sign(easy, with: signature, &lines) }
        easy.set(CURLOPT_HTTPHEADER, list: lines)
        if let field = order.proxyAuthorization {
            easy.set(CURLOPT_PROXYHEADER, list: ["Proxy-Authorization: \(field)"])
        }
    }

    /// The largest content that libcurl copies and sends without a sign of progress.
    private static let largestCopy = 64 << 10

    private func setUpload(_ easy: EasyHandle, byteCount: Int?) {
        let context = unsafe Unmanaged.passUnretained(order).toOpaque()
        easy.set(CURLOPT_UPLOAD, 1)
        unsafe transport_set_offset(easy.pointer, CURLOPT_INFILESIZE_LARGE, curl_off_t(byteCount ?? -1))
        unsafe transport_set_read(easy.pointer, TransferCallbacks.read)
        unsafe easy.set(CURLOPT_READDATA, context: context)
        unsafe transport_set_seek(easy.pointer, TransferCallbacks.seek)
        unsafe easy.set(CURLOPT_SEEKDATA, context: context)
    }

    /// What signs the request of this hop; after a redirect to another origin, nothing.
    private var signature: RequestSignature? {
        order.hop.request.hasOptions ? order.hop.request.options.credential?.signature : nil
    }

    private func sign(_ easy: EasyHandle, with signature: RequestSignature, _ lines: inout [String]) {
        lines += signature.lines(for: order.hop.request)
        _ = easy.sign(with: signature.scope, user: signature.keyID, password: signature.secret)
        // libcurl announces an upload by a field that cannot be taken away: that would be signed. So it does not wait.
        easy.set(CURLOPT_EXPECT_100_TIMEOUT_MS, 1)
    }

    /// Header lines in libcurl's form: `Name;` sends an empty value, `Name:` keeps libcurl from adding the field.
    private func headerLines(sendsContent: Bool) -> [String] {
        let headers = order.hop.request.headers
        var lines = headers.map { $0.value.allBytes(\.isBlank) ? "\($0.name);" : "\($0.name): \($0.value)" }
        if signature != nil {
            // No line without a value, which libcurl signs and does not send. Proxies may change `Accept-Encoding`.
            if sendsContent, !headers.contains(name: "Content-Type") {
                lines.append("Content-Type: application/octet-stream")
            }
            return lines
        }
        if order.hop.request.decodesContent, !headers.contains(name: "Accept-Encoding") {
            // A range of compressed content cannot be decoded.
            lines.append(headers.contains(name: "Range") ? "Accept-Encoding: identity" : "Accept-Encoding: gzip")
        }
        if sendsContent {
            lines.append("Expect:")
            if !headers.contains(name: "Content-Type") { lines.append("Content-Type:") }
        }
        return lines
    }
}
