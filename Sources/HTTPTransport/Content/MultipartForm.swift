// SPDX-License-Identifier: MIT
import PlatformBasics

/// The parts of a `multipart/form-data` content: fields, bytes and files.
///
/// Files are read while they are sent. Names cannot break out of their part: quotes and line ends in them are escaped
/// as browsers do, and the boundary is random.
/// - Source: RFC 7578; the HTML standard, "multipart form data".
public struct MultipartForm: Sendable, Hashable {
    private var sources: [HTTPContent.Source] = []
    private let boundary: String
    private var isValid = true

    /// Creates an empty form.
    public init() {
        let numbers = [UInt64.random(in: 0 ... .max), .random(in: 0 ... .max)]
        self.init(boundary: "form-" + numbers.map { String($0, radix: 36) }.joined(separator: "-"))
    }

    /// - Parameter boundary: Must not occur in the parts.
    init(boundary: String) {
        self.boundary = boundary
    }

    /// The value of the `Content-Type` field.
    public var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// Appends a field with a text.
    public mutating func append(_ text: String, name: String) {
        append(.bytes(Array(text.utf8)), name: name, filename: nil, type: nil)
    }

    /// Appends bytes.
    /// - Parameters:
    ///   - bytes: The content of the part.
    ///   - name: The name of the field.
    ///   - filename: The name that the origin sees for the bytes, if any.
    ///   - type: The media type, if any.
    public mutating func append(_ bytes: [UInt8], name: String, filename: String? = nil, type: String? = nil) {
        append(.bytes(bytes), name: name, filename: filename, type: type)
    }

    /// Appends a file, which is opened when the request is sent.
    /// - Parameters:
    ///   - path: The path of a regular file.
    ///   - name: The name of the field.
    ///   - filename: The name that the origin sees; by default the last part of the path.
    ///   - type: The media type; by default `application/octet-stream`.
    public mutating func append(
        fileAt path: String, name: String, filename: String? = nil, type: String = "application/octet-stream"
    ) {
        let last = path.split(separator: "/").last.map(String.init) ?? "file"
        append(.file(path: path), name: name, filename: filename ?? last, type: type)
    }

    private mutating func append(_ source: HTTPContent.Source, name: String, filename: String?, type: String?) {
        var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.escaped(name))\""
        if let filename { head += "; filename=\"\(Self.escaped(filename))\"" }
        if let type {
            isValid = isValid && type.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            head += "\r\nContent-Type: \(type)"
        }
        sources += [.bytes(Array((head + "\r\n\r\n").utf8)), source, .bytes(Array("\r\n".utf8))]
    }

    private static func escaped(_ name: String) -> String {
        // By scalars: to Swift a carriage return and a line feed together are one character.
        name.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\r": text += "%0D"
            case "\n": text += "%0A"
            case "\"": text += "%22"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    /// The content of a request with this form.
    /// - Throws: ``HTTPError`` with code `.invalidRequest` when a media type has other than printable ASCII characters.
    public func content() throws(HTTPError) -> HTTPContent {
        guard isValid else { throw .invalidRequest("A media type of the form has characters that it may not.") }
        return HTTPContent(source: .parts(sources + [.bytes(Array("--\(boundary)--\r\n".utf8))]))
    }
}
