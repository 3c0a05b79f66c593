// SPDX-License-Identifier: MIT
/// The rules for a request's head that libmicrohttpd does not enforce.
///
/// - Source: RFC 9112, sections 3.2, 5.1 and 6.3.
struct RequestCheck: Sendable {
    var targetByteLimit: Int
    var fieldLimit: Int

    /// Why a request is refused.
    struct Refusal: Error, Equatable {
        let status: Int
        let detail: String
    }

    /// - Parameter fields: With names in lower case.
    /// - Throws: ``Refusal`` for the first rule that the head breaks.
    func check(method: String, target: String, fields: [(name: String, value: String)]) throws(Refusal) {
        guard target.utf8.count <= targetByteLimit else {
            throw Refusal(status: 414, detail: "The address is longer than \(targetByteLimit) bytes.")
        }
        guard target.utf8.first == UInt8(ascii: "/") else {
            throw Refusal(status: 400, detail: "The address of a request begins with a slash.")
        }
        guard target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Refusal(status: 400, detail: "The address has a character that is not printable ASCII.")
        }
        guard fields.count <= fieldLimit else {
            throw Refusal(status: 431, detail: "The head has more than \(fieldLimit) fields.")
        }
        try checkFields(fields)
        guard method == "GET" || method == "HEAD" else {
            throw Refusal(status: 405, detail: "Only GET and HEAD are answered.")
        }
    }

    private func checkFields(_ fields: [(name: String, value: String)]) throws(Refusal) {
        guard fields.allSatisfy({ !$0.name.isEmpty && $0.name.utf8.allSatisfy(Self.isTokenByte) }) else {
            throw Refusal(status: 400, detail: "The name of a field has a character that names cannot have.")
        }
        guard fields.allSatisfy({ $0.value.utf8.allSatisfy { $0 == 9 || ($0 >= 0x20 && $0 != 0x7F) } }) else {
            throw Refusal(status: 400, detail: "A field has a control character.")
        }
        guard values("host", fields).count <= 1 else {
            throw Refusal(status: 400, detail: "The request has more than one Host field.")
        }
        let lengths = values("content-length", fields)
        let codings = values("transfer-encoding", fields)
        guard lengths.isEmpty || codings.isEmpty else {
            throw Refusal(status: 400, detail: "The request has Content-Length beside Transfer-Encoding.")
        }
        guard lengths.count <= 1, lengths.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            throw Refusal(status: 400, detail: "The request has an invalid Content-Length.")
        }
        guard codings.isEmpty, lengths.allSatisfy({ Int($0) == 0 }) else {
            throw Refusal(status: 413, detail: "The request has content, and no address takes content.")
        }
    }

    private func values(_ name: String, _ fields: [(name: String, value: String)]) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    /// - Source: RFC 9110, section 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
