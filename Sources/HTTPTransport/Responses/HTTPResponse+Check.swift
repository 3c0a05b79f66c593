// SPDX-License-Identifier: MIT
public import PlatformBasics

extension HTTPError {
    /// What is known of a response that was not accepted.
    public struct Response: Sendable, Hashable {
        /// The status code.
        public let status: Int
        /// The fields of the head.
        public let headers: HTTPHeaders
        /// The URL of the response, after redirects.
        public let url: URL
        /// The first bytes of the body that had arrived with the head, at most 4 KiB, as they came over the wire; often
        /// the origin's own explanation.
        public let beginning: [UInt8]
    }
}

extension HTTPResponse {
    /// Checks the status and the content type by the options of a request, and returns the response unchanged.
    ///
    /// ``HTTPClient`` and the loaders of this module do this themselves. A 304 is accepted when the request has a
    /// condition. The type of a response without content is not checked.
    ///
    /// - Throws: ``HTTPError`` with code `.unacceptableStatus` or `.unacceptableContentType` and the response. The
    ///   transfer of the body is ended then.
    public func checked(for request: HTTPRequest) throws(HTTPError) -> HTTPResponse {
        guard request.hasOptions else { return self }
        return try checked(request.options.acceptableStatuses, request.options.acceptableContentTypes, for: request)
    }

    package func checked(
        _ statuses: HTTPStatusSet?, _ types: HTTPContentTypes?, for request: HTTPRequest
    ) throws(HTTPError) -> HTTPResponse {
        if status == 304, request.isConditional { return self }
        let isEmpty = status == 204 || body.expectedByteCount == 0
        guard let refusal = HTTPError.refusal(of: status, headers, isEmpty: isEmpty, statuses, types) else {
            return self
        }
        let beginning = body.arrivedBeginning(upTo: 4 << 10)
        body.cancel()
        throw HTTPError(
            code: refusal.code, message: refusal.message, url: url, status: status,
            response: HTTPError.Response(status: status, headers: headers, url: url, beginning: beginning))
    }
}

extension HTTPError {
    /// Why a response is not accepted; `nil` when it is. The type of one without content is not looked at.
    static func refusal(
        of status: Int, _ headers: HTTPHeaders, isEmpty: Bool, _ statuses: HTTPStatusSet?, _ types: HTTPContentTypes?
    ) -> (code: Code, message: String)? {
        if let statuses, !statuses.contains(status) {
            return (.unacceptableStatus, "The origin answered with status \(status); \(statuses) would be accepted.")
        }
        guard let types, !isEmpty, !types.contains(headers["Content-Type"]) else { return nil }
        let found = headers["Content-Type"].map { "the content type \"\($0)\"" } ?? "no content type"
        return (.unacceptableContentType, "The origin answered with \(found); \(types) would be accepted.")
    }
}

extension HTTPRequest {
    /// Whether a 304 is an answer to this request.
    package var isConditional: Bool {
        headers.contains(name: "If-None-Match") || headers.contains(name: "If-Modified-Since")
    }
}

extension HTTPBody {
    /// The first bytes that are there without waiting, left in the body.
    package func arrivedBeginning(upTo count: Int) -> [UInt8] {
        switch storage {
        case .chunks(let chunks): Array(chunks.joined().prefix(count))
        case .transfer(let transfer): transfer.arrivedBeginning(upTo: count)
        case .sequence: []
        }
    }
}
