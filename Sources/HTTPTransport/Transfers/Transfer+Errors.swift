// SPDX-License-Identifier: MIT
import CLibcurl
import CTransportShims

extension Transfer {
    /// A time limit that passed.
    enum TimeLimit {
        case total
        case silence
        case pace
    }

    /// The error for a time limit that passed.
    func timeout(_ limit: TimeLimit) -> HTTPError {
        let configuration = settings.configuration
        let message =
            switch limit {
            case .total: "The request did not end within \(configuration.totalTimeout)."
            case .silence where hasBegun: "The origin was silent for \(configuration.idleTimeout)."
            case .silence:
                "The origin was silent for \(configuration.firstByteTimeout ?? configuration.idleTimeout); "
                    + "no line of a response arrived."
            case .pace:
                "The body arrived more slowly than \(configuration.lowSpeedLimit?.bytesPerSecond ?? 0) bytes a second."
            }
        return HTTPError(code: .timedOut, message: message, url: url, status: head.knownStatus)
    }

    /// Whether a new connection may help: the policies of this transfer refused a connection of an earlier one, or one
    /// of HTTP/2 ended before the origin took up the request, as its GOAWAY says.
    func mayGoOnElsewhere(_ easy: EasyHandle, _ result: CURLcode) -> Bool {
        guard !needsFreshConnection, !hasBegun else { return false }
        let request = order.hop.request
        if result == CURLE_HTTP2 { return ["GET", "HEAD", "OPTIONS"].contains(request.method) && !request.hasContent }
        return result == CURLE_ABORTED_BY_CALLBACK && easy.integer(CURLINFO_NUM_CONNECTS) == 0
    }

    /// The error for a result of libcurl, or the error of a callback.
    func error(for result: CURLcode) -> HTTPError {
        var error = errorWithoutChain(for: result)
        if lacksPin || result == CURLE_PEER_FAILED_VERIFICATION { error.peerCertificates = easy?.lastChain ?? [] }
        return error
    }

    private func errorWithoutChain(for result: CURLcode) -> HTTPError {
        if let failure { return failure }
        if lacksPin {
            return HTTPError(
                code: .certificatePinMismatch,
                message:
                    "No certificate of \(origin.host) is among the pinned ones. Either another party answers in its "
                    + "place, or its keys have changed and the pins must follow.", url: url)
        }
        if let refusal, result == CURLE_COULDNT_CONNECT || result == CURLE_ABORTED_BY_CALLBACK {
            return .addressNotAllowed(refusal.address, because: refusal.reason, url: url)
        }
        let said = easy?.failureText ?? ""
        let detail = said.isEmpty ? unsafe String(cString: curl_easy_strerror(result)) : said
        let (code, hint) = meaning(of: result, detail)
        let message = "\(detail) (libcurl \(result.rawValue))." + (hint.isEmpty ? "" : " \(hint)")
        let advice = code == .certificateNotTrusted ? "Add its issuer to the TLS policy if it is yours." : nil
        return HTTPError(
            code: code, message: message, advice: advice, url: url, status: head.knownStatus ?? refusedTunnel)
    }

    /// The status with which the proxy refused a tunnel.
    private var refusedTunnel: Int? {
        guard !hasBegun, let status = easy?.integer(CURLINFO_HTTP_CONNECTCODE), status >= 300 else { return nil }
        return status
    }

    /// The error for a name that cannot be resolved.
    func cannotResolve(_ reason: String) -> HTTPError {
        HTTPError(
            code: .cannotResolveHost,
            message: "\(endpoint.name): \(reason). Check the host name and the resolver of this machine.",
            url: url)
    }

    /// Whether the end of the connection ends the body.
    private var endsWithConnection: Bool {
        guard head.isComplete, answer?.isMultiplexed != true, !head.headers.contains(name: "Transfer-Encoding") else {
            return false
        }
        return [.unknown, .encoded(nil)].contains(head.bodyLength(isHead: order.hop.isHead))
    }

    private func meaning(of result: CURLcode, _ detail: String) -> (HTTPError.Code, hint: String) {
        switch result {
        case CURLE_RECV_ERROR where refusedTunnel == 407, CURLE_COULDNT_CONNECT where refusedTunnel == 407:
            (.proxyAuthenticationRequired, "Give the client a credential for its proxy.")
        case CURLE_RECV_ERROR where refusedTunnel != nil, CURLE_COULDNT_CONNECT where refusedTunnel != nil:
            (.proxyRefused, "Ask for a host and a port that the proxy allows, or change its rules.")
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            (.cannotResolveHost, "Check the host name and the resolver of this machine.")
        case CURLE_COULDNT_CONNECT where lacksDescriptor:
            (.tooManyOpenFiles, "Raise the limit of open files, or lower the number of connections.")
        case CURLE_COULDNT_CONNECT: (.cannotConnect, "")
        case CURLE_OPERATION_TIMEDOUT:
            (.timedOut, "No connection within \(settings.configuration.connectTimeout).")
        case CURLE_PARTIAL_FILE: (.truncatedBody, "")
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_SEND_FAIL_REWIND: (.connectionLost, "")
        // What libcurl's own limit of a head ends over HTTP/2, in nghttp2's words.
        case CURLE_RECV_ERROR where !head.isComplete && detail.contains("user callback function failed"):
            (.headersTooLarge, "")
        case CURLE_RECV_ERROR where endsWithConnection:
            (.truncatedBody, "The connection ended without marking the end of the body.")
        case CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            (.connectionLost, head.isComplete ? "The body is incomplete." : "")
        case CURLE_URL_MALFORMAT: (.invalidRequest, "")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING,
            CURLE_FILESIZE_EXCEEDED:
            (.invalidResponse, "")
        // libcurl's code for a field of the head, or of the trailers, with a line break in its name.
        case CURLE_BAD_FUNCTION_ARGUMENT: (.invalidResponse, "")
        // libcurl's codes for a header line beyond its own limit, before 8.6 and since; memory is not short.
        case CURLE_OUT_OF_MEMORY where !head.isComplete, CURLcode(100) where !head.isComplete: (.headersTooLarge, "")
        case CURLE_PEER_FAILED_VERIFICATION: certificateMeaning
        case CURLE_SSL_CACERT_BADFILE:
            (.certificateNotTrusted, "Install the certificate authorities of the system, or check the file given.")
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_CERTPROBLEM,
            CURLE_USE_SSL_FAILED, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_ISSUER_ERROR:
            (.tlsFailed, "")
        default: (.transferFailed, "")
        }
    }

    /// Why a certificate was refused, from OpenSSL's result; the `X509_V_ERR_*` are part of its ABI.
    private var certificateMeaning: (HTTPError.Code, hint: String) {
        switch easy?.integer(CURLINFO_SSL_VERIFYRESULT) ?? 0 {
        case 9: (.certificateExpired, "The certificate is not valid yet; check the clock of this machine.")
        case 10: (.certificateExpired, "The certificate has expired.")
        // OpenSSL has found no error, or (1) has not checked yet: libcurl compares the name itself, before OpenSSL's
        // result.
        case 0, 1, 62: (.certificateHostMismatch, "The certificate is for another host.")
        case 18, 19, 20, 21:
            (.certificateNotTrusted, "The issuer is unknown.")
        default: (.certificateNotTrusted, "")
        }
    }
}

extension EasyHandle {
    /// The certificates that the peer has sent, when the handshake of this handle was the last one of its thread.
    fileprivate var lastChain: [[UInt8]] {
        var start: UnsafePointer<UInt8>?
        let count = unsafe transport_last_chain(pointer, &start)
        // The bytes stay until the next handshake of this thread.
        var rest = unsafe Array(UnsafeBufferPointer(start: start, count: count))[...]
        var chain: [[UInt8]] = []
        while rest.count > 4 {
            let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            chain.append(Array(rest.dropFirst(4).prefix(length)))
            rest = rest.dropFirst(4 + length)
        }
        return chain
    }
}
