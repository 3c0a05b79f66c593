// SPDX-License-Identifier: MIT
import PlatformBasics

/// What proves to an origin that the request may be answered.
///
/// Its texts never contain the secret.
/// - Source: RFC 7617 (Basic), RFC 6750 (Bearer), AWS Signature Version 4.
public struct HTTPCredential: Sendable, Hashable {
    private enum Kind: Hashable {
        case basic(user: String, password: String)
        case bearer(token: String)
        case signature(RequestSignature)
    }

    private let kind: Kind

    /// A name and a password, which everyone on an unencrypted path can read.
    /// - Parameters:
    ///   - user: Without colon.
    ///   - password: Without control characters.
    public static func basic(user: String, password: String) -> HTTPCredential {
        HTTPCredential(kind: .basic(user: user, password: password))
    }

    /// A token.
    /// - Parameter token: Letters, digits and `-._~+/`, with `=` at the end.
    public static func bearer(_ token: String) -> HTTPCredential {
        HTTPCredential(kind: .bearer(token: token))
    }

    /// A key of S3, or of a service with its protocol, which signs each request and is not sent.
    ///
    /// A request that is signed sends its content as `application/octet-stream` unless it has a `Content-Type`, and
    /// asks for no coding. Its fields are signed, none of them may be empty, and those that are repeated may be read in
    /// another order. Its path is percent-encoded but for letters, digits, `-._~` and `/`, and the items of its query
    /// are in order. The content is signed when the request has its SHA-256 in a field `x-amz-content-sha256`.
    ///
    /// libcurl signs; it can from version 7.87 on.
    /// - Parameters:
    ///   - keyID: The public name of the key: ASCII without spaces, `/`, `,`.
    ///   - secret: ASCII without control characters.
    ///   - region: Letters, digits and hyphens.
    ///   - sessionToken: For keys that end after some hours.
    /// - Source: AWS Signature Version 4, "Authenticating Requests: Using the Authorization Header".
    public static func s3(
        keyID: String, secret: String, region: String, sessionToken: String? = nil
    ) -> HTTPCredential {
        let signature = RequestSignature(keyID: keyID, secret: secret, region: region, sessionToken: sessionToken)
        return HTTPCredential(kind: .signature(signature))
    }

    /// What signs a request; `nil` for a credential that is sent.
    var signature: RequestSignature? {
        if case .signature(let signature) = kind { signature } else { nil }
    }

    /// The value of an `Authorization` or `Proxy-Authorization` field.
    /// - Throws: ``HTTPError`` with code `.invalidRequest` when it cannot be written without a change of its meaning,
    ///   or the credential signs requests and is never sent.
    package func fieldValue() throws(HTTPError) -> String {
        switch kind {
        case .basic(let user, let password):
            let isClean = (user + password).utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            guard isClean, !user.utf8.contains(UInt8(ascii: ":")) else {
                throw .invalidRequest(
                    "The user name has a colon, or the credential has control characters; correct it.")
            }
            return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
        case .bearer(let token):
            let content = token.utf8.reversed().drop { $0 == UInt8(ascii: "=") }
            guard !content.isEmpty, content.allSatisfy({ $0.isASCIIAlphanumeric || "-._~+/".utf8.contains($0) }) else {
                throw .invalidRequest("The bearer token has characters that a token may not; correct it.")
            }
            return "Bearer " + token
        case .signature:
            throw .invalidRequest(
                "A credential of S3 signs a request of its own; it answers no challenge and no proxy.")
        }
    }
}

extension HTTPCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind, and the name for Basic.
    public var description: String {
        switch kind {
        case .basic(let user, _): "Basic credential of \(user)"
        case .bearer: "Bearer credential"
        case .signature(let signature): "S3 credential \(signature.keyID)"
        }
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Empty, so that a dump does not show the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPRequest {
    /// The request with the field for its credential.
    func authorized() throws(HTTPError) -> HTTPRequest {
        guard hasOptions, let credential = options.credential else { return self }
        guard !headers.contains(name: "Authorization") else {
            throw .invalidRequest("The request has a credential and an Authorization field; keep one.", at: url)
        }
        if let signature = credential.signature {
            try signature.check(self)
            return self
        }
        var request = self
        request.headers.append(name: "Authorization", value: try credential.fieldValue())
        return request
    }
}
