// SPDX-License-Identifier: MIT
public import HTTPTransport
import PlatformBasics

/// Answers requests for `data:` URLs with the bytes in the URL.
///
/// - Source: RFC 2397; RFC 4648, section 4. Base64 may lack its padding and may contain white space.
public struct DataURLLoader: HTTPLoading {
    private let limit: Int

    /// Creates a loader.
    /// - Parameter maximumByteCount: The largest number of decoded bytes; default 16 MiB.
    public init(maximumByteCount: Int = 16 << 20) {
        limit = max(0, maximumByteCount)
    }

    /// The bytes in the URL with status 200 and the media type in the URL.
    ///
    /// - Throws: `HTTPError` with code `.invalidRequest` for a URL that is no `data:` URL or cannot be decoded,
    ///   `.bodyTooLarge`; `CancellationError`.
    /// - Complexity: O(*n*) in the length of the URL.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try Task.checkCancellation()
        let text = request.url.absoluteString.utf8
        guard text.count <= 3 * min(limit, .max / 4) + Self.largestHead else {
            throw HTTPError.bodyTooLarge(limit: limit, announced: nil)
        }
        let (type, bytes) = try Self.parse(text)
        return try HTTPResponse(request, bytes, type: type, limit: limit).checked(for: request)
    }

    /// `data`.
    public var schemes: [String] { ["data"] }

    /// `data`.
    public var localSchemes: [String] { ["data"] }

    /// Does nothing.
    public func shutdown() async {}

    /// Room for the scheme, the media type and white space in a URL of the largest size.
    private static let largestHead = 4 << 10

    private static func parse(_ text: String.UTF8View) throws(HTTPError) -> (type: String, bytes: [UInt8]) {
        let content = text.prefix { $0 != UInt8(ascii: "#") }
        guard let colon = content.firstIndex(of: UInt8(ascii: ":")),
            String(Substring(content[..<colon])).isEqualIgnoringCase(to: "data"),
            let comma = content.firstIndex(of: UInt8(ascii: ","))
        else { throw refusal("it has no scheme \"data\" or no comma after the media type") }
        var type = String(Substring(content[content.index(after: colon)..<comma]))
        let marker = ";base64"
        let isBase64 = type.utf8.count >= marker.utf8.count && String(type.suffix(7)).isEqualIgnoringCase(to: marker)
        if isBase64 { type.removeLast(marker.count) }
        guard type.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), type.utf8.count <= 1 << 10 else {
            throw refusal("its media type has control characters or more than 1,024 bytes")
        }
        if type.isEmpty || type.hasPrefix(";") { type = "text/plain" + (type.isEmpty ? ";charset=US-ASCII" : type) }
        guard let bytes = Substring(content[content.index(after: comma)...]).percentDecodedBytes else {
            throw refusal("a percent sign in it is not followed by two hexadecimal digits")
        }
        return (type, isBase64 ? try decodeBase64(bytes) : bytes)
    }

    private static func decodeBase64(_ text: [UInt8]) throws(HTTPError) -> [UInt8] {
        var digits = text.filter { ![0x20, 0x09, 0x0A, 0x0C, 0x0D].contains($0) }
        if digits.count % 4 > 1 { digits += Array(repeating: UInt8(ascii: "="), count: 4 - digits.count % 4) }
        // Foundation takes what follows the padding.
        let padding = digits.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2, !digits.dropLast(padding).contains(UInt8(ascii: "=")),
            let data = Data(base64Encoded: Data(digits))
        else { throw refusal("its base64 is damaged") }
        return Array(data)
    }

    /// Without the URL, which is the content and may be long.
    private static func refusal(_ reason: String) -> HTTPError {
        HTTPError(code: .invalidRequest, message: "The data: URL cannot be decoded: \(reason).")
    }
}
