// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import Testing

@testable import HTTPCaching

/// The time at which the responses of the tables are asked for and arrive: Thu, 01 Jan 2026 00:00:00 GMT.
let arrival = HTTPDate(secondsSince1970: 1_767_225_600)
let address = URL(string: "https://example.org/photo")!

/// Fields as the tables write them: `Name: value | Name: value`. A value `@-10` is the date 10 seconds before
/// ``arrival``.
func fields(_ text: String) -> HTTPHeaders {
    var headers = HTTPHeaders()
    for field in text.components(separatedBy: " | ") where !field.isEmpty {
        let parts = field.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var value = parts[1].trimmingCharacters(in: CharacterSet(charactersIn: " "))
        if value.hasPrefix("@"), let seconds = Int(value.dropFirst()) {
            value = arrival.advanced(by: seconds).description
        }
        headers.append(name: String(parts[0]), value: value)
    }
    return headers
}

func request(_ text: String = "", method: String = "GET", url: URL = address) -> HTTPRequest {
    HTTPRequest(url: url, method: method, headers: fields(text))
}

func head(_ text: String, status: Int = 200, delay: Int = 0) -> ResponseHead {
    ResponseHead(
        status: status, headers: fields(text), requestTime: arrival.advanced(by: -delay), responseTime: arrival)
}

/// A response as a cache has kept it for a request; the tables build those too that a cache must not keep.
func stored(
    _ text: String, for asked: String = "", status: Int = 200, rules: HTTPCacheRules = .shared
) -> StoredResponse {
    let head = head(text, status: status)
    return StoredResponse(head: head, selectors: rules.selectors(for: fields(asked), in: head.headers) ?? [:])
}

/// The row of a table: where the rule stands, and what is given.
protocol SourcedRow: CustomTestStringConvertible, Sendable {
    var source: String { get }
    var given: String { get }
}

extension SourcedRow {
    var testDescription: String { "\(source): \(given.prefix(90))" }
}
