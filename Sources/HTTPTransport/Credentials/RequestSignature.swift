// SPDX-License-Identifier: MIT
import CLibcurl
import PlatformBasics

/// A key with which libcurl signs requests for S3. It signs and sends the path without dot segments.
struct RequestSignature: Hashable {
    let keyID: String
    let secret: String
    let region: String
    let sessionToken: String?

    /// libcurl's name of the algorithm, the region and the service.
    var scope: String { "aws:amz:\(region):s3" }

    /// The field with the SHA-256 of the content, which libcurl reads and does not make.
    static let contentField = "x-amz-content-sha256"
    private static let digestOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    /// Checks that the request can be signed such that a service finds the same signature.
    ///
    /// - Throws: ``HTTPError`` with code `.invalidRequest`.
    func check(_ request: HTTPRequest) throws(HTTPError) {
        func refuse(_ message: String) -> HTTPError { .invalidRequest(message, at: request.url) }
        guard Self.isPrintable(keyID), !keyID.utf8.contains(where: { " /,".utf8.contains($0) }),
            Self.isPrintable(secret), sessionToken.map(Self.isPrintable) ?? true,
            !region.isEmpty, region.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || $0.isASCIIAlphanumeric })
        else { throw refuse("The credential of S3 has characters that a key may not, or an empty part; correct it.") }
        guard request.headers.allSatisfy({ !$0.value.allBytes(\.isBlank) }) else {
            throw refuse("A signed request has no empty fields; leave them out.")
        }
        let items = request.url.query(percentEncoded: true)?.split(separator: "&", omittingEmptySubsequences: false)
        guard items?.allSatisfy({ $0.utf8.contains(UInt8(ascii: "=")) }) ?? true,
            zip(items ?? [], items?.dropFirst() ?? []).allSatisfy({ $0.utf8.lexicographicallyPrecedes($1.utf8) })
        else { throw refuse("libcurl signs a query as it is: give each item a `=`, and sort them.") }
        guard Self.isAvailable else {
            throw refuse("libcurl \(Self.libraryVersion) cannot sign for S3; install 7.87 or later, built with it.")
        }
    }

    /// The fields that are sent for the signature, beside those of the request.
    func lines(for request: HTTPRequest) -> [String] {
        var lines: [String] = []
        if !request.headers.contains(name: Self.contentField) {
            lines.append("\(Self.contentField): \(request.hasContent ? "UNSIGNED-PAYLOAD" : Self.digestOfNothing)")
        }
        if let sessionToken { lines.append("x-amz-security-token: \(sessionToken)") }
        return lines
    }

    private static func isPrintable(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    // MARK: - libcurl

    /// Whether libcurl signs all fields of a request, which it does since 7.87, and was built with it.
    static let isAvailable: Bool = {
        guard unsafe curl_version_info(CURLVERSION_FIRST).pointee.version_num >= 0x07_57_00 else { return false }
        return EasyHandle(TLSSessions())?.sign(with: "aws:amz:us-east-1:s3", user: "a", password: "b") ?? false
    }()

    private static var libraryVersion: String {
        unsafe String(cString: curl_version_info(CURLVERSION_FIRST).pointee.version)
    }
}
