// SPDX-License-Identifier: MIT
import PlatformBasics

/// Makes a value of a whole response.
///
/// ```swift
/// let user = try await client.value(for: HTTPRequest(url: url), as: .json(User.self))
/// ```
///
/// The status is checked first and then the content type, so an error page is never decoded. The type of an answer
/// without content is not checked.
public struct ResponseDecoder<Value: Sendable>: Sendable {
    /// The status codes to decode.
    public var acceptableStatuses: HTTPStatusSet
    /// The content types to decode; `nil` for every one.
    public var acceptableContentTypes: HTTPContentTypes?
    private let make: @Sendable (CollectedResponse) throws -> Value

    /// Creates a decoder.
    /// - Parameters:
    ///   - statuses: The status codes to decode.
    ///   - types: The content types to decode; `nil` for every one.
    ///   - make: Makes the value of a response that was accepted. It runs in the task of the caller.
    public init(
        statuses: HTTPStatusSet = .success, types: HTTPContentTypes? = nil,
        _ make: @escaping @Sendable (CollectedResponse) throws -> Value
    ) {
        acceptableStatuses = statuses
        acceptableContentTypes = types
        self.make = make
    }

    /// Decodes a response.
    ///
    /// - Throws: ``HTTPError`` with code `.unacceptableStatus` or `.unacceptableContentType`, or `.undecodableBody`
    ///   with the error of the decoder as its cause; each has the response.
    public func decode(_ response: CollectedResponse) throws(HTTPError) -> Value {
        let (statuses, types) = (acceptableStatuses, acceptableContentTypes)
        if let refusal = HTTPError.refusal(
            of: response.status, response.headers, isEmpty: response.isBlank, statuses, types)
        {
            throw response.error(refusal.code, refusal.message)
        }
        do { return try make(response) } catch let error as HTTPError { throw error } catch {
            throw response.error(.undecodableBody, "The body cannot be decoded: \(error).", cause: error)
        }
    }

    /// A decoder that changes the value of this one.
    public func map<Other: Sendable>(_ change: @escaping @Sendable (Value) throws -> Other) -> ResponseDecoder<Other> {
        ResponseDecoder<Other>(statuses: acceptableStatuses, types: acceptableContentTypes) { [make] in
            try change(make($0))
        }
    }
}

extension ResponseDecoder {
    /// The first decoder that fits decides: the one whose status, type and content are right.
    ///
    /// - Throws: When none fits, the error of the last one.
    public static func first(of decoders: [ResponseDecoder]) -> ResponseDecoder {
        ResponseDecoder(statuses: .all) { response in
            var last = response.error(.undecodableBody, "There is no decoder for the response.")
            for decoder in decoders {
                do throws(HTTPError) { return try decoder.decode(response) } catch { last = error }
            }
            throw last
        }
    }
}

extension ResponseDecoder where Value == [UInt8] {
    /// The bytes as they are.
    public static var bytes: ResponseDecoder { ResponseDecoder { $0.bytes } }
}

extension ResponseDecoder where Value: Decodable {
    /// A value from JSON.
    ///
    /// An optional value is `nil` for an answer without content, too: one of no bytes, or of blanks.
    public static func json(_ type: Value.Type = Value.self) -> ResponseDecoder {
        ResponseDecoder(types: .json) { response in
            if response.isBlank, let optional = type as? any ExpressibleByNilLiteral.Type,
                let none = optional.init(nilLiteral: ()) as? Value
            {
                return none
            }
            return try JSONDecoder().decode(type, from: Data(response.bytes))
        }
    }
}

extension ResponseDecoder where Value == String {
    /// The text, in the charset of its content type; UTF-8 without one.
    ///
    /// Known are UTF-8, ASCII, ISO 8859-1 (also for windows-1252) and UTF-16. A text with bytes that its charset does
    /// not have is an error.
    public static var text: ResponseDecoder {
        ResponseDecoder { response in
            let charset = response.headers["Content-Type"].flatMap { HTTPContentTypes.parameter("charset", of: $0) }
            guard let text = decode(response.bytes, charset: charset?.lowercased() ?? "utf-8") else {
                throw response.error(
                    .undecodableBody, "The body is not text in the charset \(charset ?? "utf-8"), or it is unknown.")
            }
            return text
        }
    }

    private static func decode(_ bytes: [UInt8], charset: String) -> String? {
        switch charset {
        case "utf-8", "utf8", "us-ascii", "ascii": String(validating: bytes, as: UTF8.self)
        case "iso-8859-1", "latin1", "windows-1252":
            String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        case "utf-16": String(bytes: bytes, encoding: .utf16)
        case "utf-16le": String(bytes: bytes, encoding: .utf16LittleEndian)
        case "utf-16be": String(bytes: bytes, encoding: .utf16BigEndian)
        default: nil
        }
    }
}

extension HTTPLoading {
    /// Sends a request, reads the whole body and makes a value of it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - decoder: Makes the value.
    ///   - limit: The largest body to accept; default 16 MiB.
    /// - Throws: What sending, reading and decoding throw; `CancellationError`, also for a decoder that was cancelled.
    public func value<Value: Sendable>(
        for request: HTTPRequest, as decoder: ResponseDecoder<Value>, upTo limit: Int = 16 << 20
    ) async throws -> Value {
        let response = try await send(request).collected(upTo: limit)
        do throws(HTTPError) { return try decoder.decode(response) } catch {
            throw error.cause is CancellationError ? CancellationError() : error
        }
    }
}

extension CollectedResponse {
    /// Whether there is no content but blanks.
    fileprivate var isBlank: Bool { bytes.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }

    /// An error about this response.
    func error(_ code: HTTPError.Code, _ message: String, cause: (any Error)? = nil) -> HTTPError {
        let beginning = Array(bytes.prefix(4 << 10))
        return HTTPError(
            code: code, message: message, url: url, status: status, cause: cause,
            response: HTTPError.Response(status: status, headers: headers, url: url, beginning: beginning))
    }
}
