// SPDX-License-Identifier: MIT
public import HTTPTransport

extension HTTPContentTypes {
    /// XML and the types that end with `+xml`.
    public static let xml: HTTPContentTypes = ["application/xml", "text/xml", "*/*+xml"]
}

extension ResponseDecoder where Value == XMLTree {
    /// The document as a tree.
    ///
    /// Made for documents of untrusted origins: a document type declaration is refused unread, so no entity is expanded
    /// and no file or address outside of the document is opened; depth, number of elements and attributes of one are
    /// limited. Known are the encodings of `ResponseDecoder.text`; the `Content-Type` counts before the document's own
    /// declaration.
    ///
    /// - Throws: `HTTPError` with code `.undecodableBody` and, for its cause, an `XMLError`.
    /// - Complexity: O(*n*) time and memory.
    public static func xml(_ limits: XMLLimits = XMLLimits()) -> ResponseDecoder {
        ResponseDecoder(types: .xml) { response in
            let text = try ResponseDecoder<String>.text.decode(response.withDocumentEncoding)
            return try XMLTreeParser.tree(of: XMLDocumentText(text, limits), limits)
        }
    }
}

extension CollectedResponse {
    /// The response with a charset that is known: that of its type, of a byte order mark, of the declaration, or UTF-8.
    fileprivate var withDocumentEncoding: CollectedResponse {
        if headers["Content-Type"]?.lowercased().contains("charset=") == true { return self }
        let charset: String
        switch (bytes.first, bytes.dropFirst().first) {
        case (0xFE, 0xFF), (0xFF, 0xFE): charset = "utf-16"
        default: charset = XMLDocumentText.declaredEncoding(of: bytes) ?? "utf-8"
        }
        var fields = headers
        fields["Content-Type"] = "text/xml; charset=\(charset)"
        return CollectedResponse(status: status, headers: fields, url: url, bytes: bytes, metrics: metrics)
    }
}
