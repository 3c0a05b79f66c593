// SPDX-License-Identifier: MIT
import COpenSSL
import Foundation
import HTTPTransport
import WebImageTesting

/// Finds the signature that a request should have, from the request as it has arrived. Shares no code with the client.
/// - Source: AWS Signature Version 4, "Signature Calculations for the Authorization Header".
struct SignatureCheck: Sendable {
    var keyID = "AKIDEXAMPLE"
    var secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
    var region = "us-east-1"
    var sessionToken: String?
    /// The clock of the service; `nil` for one that does not look at it.
    var now: Date? = .now

    /// What is wrong with a request; `nil` when a service would accept it.
    func fault(of request: OriginRequest) -> String? {
        guard let field = request.headers["Authorization"], let parts = Self.parts(of: field) else {
            return "no signature"
        }
        let date = Self.date(of: request)
        let scope = "\(date.prefix(8))/\(region)/s3/aws4_request"
        guard parts.credential == "\(keyID)/\(scope)" else { return "another credential: \(parts.credential)" }
        if let now {
            guard let made = Self.date(date), abs(made.timeIntervalSince(now)) < 900 else {
                return "another time: \(date)"
            }
        }
        let names = request.headers.map { $0.name.lowercased() }
        let needed = Set(names.filter { $0.hasPrefix("x-amz-") } + ["host", "x-amz-content-sha256", "x-amz-date"])
        guard needed.isSubset(of: parts.names) else { return "not all fields are signed" }
        guard parts.names == parts.names.sorted() else { return "fields in disorder" }
        guard parts.names.allSatisfy(names.contains) else { return "a field is signed that has not come" }
        guard request.headers["x-amz-security-token"] == sessionToken else { return "another token" }
        let digest = request.headers["x-amz-content-sha256"] ?? ""
        guard digest == "UNSIGNED-PAYLOAD" || digest == Self.hexadecimal(Self.sha256(request.body)) else {
            return "another content"
        }
        return parts.signature == signature(of: request, names: parts.names) ? nil : "SignatureDoesNotMatch"
    }

    /// The signature over some fields of a request.
    func signature(of request: OriginRequest, names: [String]) -> String {
        let date = Self.date(of: request)
        let day = String(date.prefix(8))
        let lines = names.map { name in
            var values = request.headers.filter { $0.name.lowercased() == name }.map {
                $0.value.split(separator: " ").joined(separator: " ")
            }
            if name == "x-amz-date" { values = Array(Set(values)) }
            return "\(name):\(values.joined(separator: ","))\n"
        }
        let items = (request.query ?? "").split(separator: "&").map { item in
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.escaped(String(pair[0])), pair.count == 2 ? Self.escaped(String(pair[1])) : "")
        }
        let query = items.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map { "\($0)=\($1)" }.joined(separator: "&")
        let path = request.path.split(separator: "/", omittingEmptySubsequences: false)
            .map { Self.escaped(String($0)) }.joined(separator: "/")
        let canonical = [
            request.method, path, query, lines.joined(), names.joined(separator: ";"),
            request.headers["x-amz-content-sha256"] ?? "",
        ].joined(separator: "\n")
        let digest = Self.hexadecimal(Self.sha256(Array(canonical.utf8)))
        let text = "AWS4-HMAC-SHA256\n\(date)\n\(day)/\(region)/s3/aws4_request\n\(digest)"
        let key = [day, region, "s3", "aws4_request"].reduce(Array("AWS4\(secret)".utf8)) { Self.hmac($0, $1) }
        return Self.hexadecimal(Self.hmac(key, text))
    }

    /// The first: libcurl sends a date that the request brings a second time.
    private static func date(of request: OriginRequest) -> String {
        request.headers.first { $0.name.lowercased() == "x-amz-date" }?.value ?? ""
    }

    private static func parts(of field: String) -> (credential: String, names: [String], signature: String)? {
        guard field.hasPrefix("AWS4-HMAC-SHA256 ") else { return nil }
        var parts: [String: String] = [:]
        for part in field.dropFirst(17).split(separator: ",") {
            let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1).map(String.init)
            if pair.count == 2 { parts[pair[0]] = pair[1] }
        }
        guard let credential = parts["Credential"], let names = parts["SignedHeaders"],
            let signature = parts["Signature"]
        else { return nil }
        return (credential, names.split(separator: ";").map(String.init), signature)
    }

    /// Reads a date such as 20130524T000000Z.
    private static func date(_ text: String) -> Date? {
        let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        return try? style.parse(text)
    }

    /// Decodes what has come, and escapes it as the signature wants it.
    private static func escaped(_ text: String) -> String {
        let isPlain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.removingPercentEncoding?.addingPercentEncoding(withAllowedCharacters: isPlain) ?? "?"
    }

    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        _ = unsafe SHA256(bytes, bytes.count, &digest)
        return digest
    }

    private static func hmac(_ key: [UInt8], _ text: String) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let message = Array(text.utf8)
        _ = unsafe HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &digest, nil)
        return digest
    }

    static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
