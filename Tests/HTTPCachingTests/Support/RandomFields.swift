// SPDX-License-Identifier: MIT
import HTTPTransport

@testable import HTTPCaching

/// Draws fields of responses and requests: most of them valid, some broken.
struct RandomFields {
    private var generator: any RandomNumberGenerator

    init(_ generator: some RandomNumberGenerator) { self.generator = generator }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    mutating func oneOf<Element>(_ elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }

    mutating func isTrue(oneIn count: Int) -> Bool { number(1...count) == 1 }

    /// A number of seconds as fields carry it, now and then none.
    mutating func seconds() -> String {
        oneOf([
            "\(number(0...200))", "\(number(0...200))", "\(number(0...200))", "\"\(number(0...99))\"", "0", "-5", "x",
            "",
            "2147483648", "99999999999999999999", "1.5",
        ])
    }

    mutating func date() -> String {
        oneOf([
            arrival.advanced(by: number(-5_000...5_000)).description,
            arrival.advanced(by: number(-99...99)).description,
            "0", "Thursday, 01-Jan-26 00:01:00 GMT", "Thu Jan  1 00:01:00 2026", "Fri, 31 Dec 9999 23:59:59 GMT", "",
        ])
    }

    mutating func responseDirectives() -> String {
        var directives: [String] = []
        for _ in 0..<number(0...4) {
            directives.append(
                oneOf([
                    "max-age=\(seconds())", "s-maxage=\(seconds())", "stale-while-revalidate=\(seconds())",
                    "stale-if-error=\(seconds())", "no-cache", "no-cache=\"a, b\"", "private", "private=\"x\"",
                    "no-store",
                    "public", "must-revalidate", "proxy-revalidate", "immutable", "must-understand", "a=\"b, c\"",
                    "a=\"",
                ]))
        }
        return directives.joined(separator: oneOf([",", ", ", " ,\t"]))
    }

    mutating func response() -> HTTPHeaders {
        var headers = HTTPHeaders()
        for _ in 0..<number(0...2) { headers.append(name: "Cache-Control", value: responseDirectives()) }
        if isTrue(oneIn: 3) { headers.append(name: "Expires", value: date()) }
        if isTrue(oneIn: 2) { headers.append(name: "Date", value: date()) }
        if isTrue(oneIn: 3) { headers.append(name: "Age", value: seconds()) }
        if isTrue(oneIn: 3) { headers.append(name: "Last-Modified", value: date()) }
        if isTrue(oneIn: 2) { headers.append(name: "ETag", value: oneOf(["\"a\"", "W/\"a\"", "a", ""])) }
        if isTrue(oneIn: 4) { headers.append(name: "CDN-Cache-Control", value: responseDirectives()) }
        if isTrue(oneIn: 4) {
            headers.append(name: "Vary", value: oneOf(["Accept", "DPR, Accept", "Cookie", "*", ""]))
        }
        return headers
    }

    mutating func request() -> HTTPRequest {
        var headers = HTTPHeaders()
        if isTrue(oneIn: 2) {
            let value = oneOf([
                "max-age=\(seconds())", "min-fresh=\(seconds())", "max-stale", "max-stale=\(seconds())", "no-cache",
                "no-store", "only-if-cached", "stale-if-error=\(seconds())",
            ])
            headers.append(name: "Cache-Control", value: value)
        }
        if isTrue(oneIn: 3) { headers.append(name: "Accept", value: oneOf(["a", "b"])) }
        if isTrue(oneIn: 5) { headers.append(name: "Authorization", value: "Basic YTpi") }
        if isTrue(oneIn: 5) { headers.append(name: "Cookie", value: "secret=1") }
        if isTrue(oneIn: 5) { headers.append(name: "If-None-Match", value: oneOf(["\"a\"", "*", "\"b\", \"a"])) }
        return HTTPRequest(url: address, method: oneOf(["GET", "GET", "GET", "HEAD", "POST"]), headers: headers)
    }

    mutating func rules() -> HTTPCacheRules { oneOf([.private, .shared]) }

    mutating func head() -> ResponseHead {
        ResponseHead(
            status: oneOf([200, 200, 200, 204, 301, 302, 404, 410, 500, 206]), headers: response(),
            requestTime: arrival.advanced(by: -number(0...9)), responseTime: arrival)
    }
}
