// SPDX-License-Identifier: MIT
import HTTPTransport
import TestSupport
import Testing

@testable import HTTPCaching

/// What is kept, selected and changed, against models that are written from the text of RFC 9111.
struct StoringModelTests {
    @Test func `a response is kept when the specifications let it`() async {
        await Property(cases: 5_000) { StoringModel(&$0) }.holds { model in
            let rules = HTTPCacheRules(scope: model.isShared ? .shared : .private)
            return difference(rules.entry(for: model.request, model.head) != nil, model.isKept)
        }
    }

    @Test func `a request selects the latest of the responses that were made for the same fields`() async {
        await Property(cases: 2_000) { draw in
            let asked = draw.list(1...4) { (fields: Asked(&$0), age: $0.number(0...3)) }
            return (vary: draw.list(0...3) { $0.oneOf(Asked.names) }, stored: asked, now: Asked(&draw))
        }.holds { vary, stored, now in
            let rules = HTTPCacheRules.shared
            let entries = stored.compactMap { asked, age in
                let date = arrival.advanced(by: -age)
                var headers: HTTPHeaders = ["Cache-Control": "max-age=60", "Date": date.description]
                for name in vary { headers.append(name: "Vary", value: name) }
                let head = ResponseHead(status: 200, headers: headers, requestTime: arrival, responseTime: arrival)
                return rules.entry(for: HTTPRequest(url: address, headers: asked.headers), head)
            }
            // A field that may not be in a key keeps a response out, or a request from all of them.
            let kept = stored.filter { !$0.fields.hasUnkeyed(vary) }
            if let wrong = difference(entries.count, kept.count, "kept:") { return wrong }
            let fitting = kept.indices.filter { index in
                !now.hasUnkeyed(vary) && vary.allSatisfy { now.meaning(of: $0) == kept[index].fields.meaning(of: $0) }
            }
            // Of two that are equally late any will do.
            let latest = fitting.filter { index in fitting.allSatisfy { kept[index].age <= kept[$0].age } }
            let decision = rules.decide(
                HTTPRequest(url: address, headers: now.headers), stored: entries, now: arrival)
            if case .useFresh(let selection) = decision {
                return unless(latest.contains(selection.index), "\(selection.index) is none of \(latest)")
            }
            return difference(decision, .forward(entries.isEmpty ? .uriMiss : .varyMiss))
                ?? unless(fitting.isEmpty, "none in place of one of \(latest)")
        }
    }

    @Test func `a 304 replaces the fields that it has, and leaves the others in their places`() async {
        let names = ["A", "a", "B", "Age", "Date", "Content-Length", "content-type", "Connection", "ETag"]
        func headers(_ draw: inout Generator) -> HTTPHeaders {
            HTTPHeaders(
                draw.list(0...6) { HTTPHeaders.Field(name: $0.oneOf(names), value: $0.oneOf(["1", "2", "b"])) })
        }
        await Property(cases: 3_000) { (old: headers(&$0), new: headers(&$0)) }.holds { old, new in
            let result = HTTPCacheRules.shared.updated(old, with: new)
            var untouched: Set = ["connection", "content-length", "content-type"]
            // What `Connection` names is for the connection alone.
            untouched.formUnion(new.values(for: "Connection"))
            func isReplaced(_ name: String) -> Bool {
                let name = name.lowercased()
                if untouched.contains(name) { return false }
                return new.contains(name: name) || name == "age" || name == "date"
            }
            for name in names {
                let values = isReplaced(name) ? new.values(for: name) : old.values(for: name)
                if let wrong = difference(result.values(for: name), values, name) { return wrong }
            }
            let order = difference(
                result.filter { !isReplaced($0.name) }.map(\.value), old.filter { !isReplaced($0.name) }.map(\.value),
                "order:")
            let added = result.map { $0.name.lowercased() }.drop { old.contains(name: $0) }
            return order ?? unless(added.allSatisfy { !old.contains(name: $0) }, "new names are not last: \(result)")
        }
    }
}

/// A request and its response, as values.
private struct StoringModel {
    let isShared: Bool
    let method: String
    let status: Int
    let isSensitive, refusesStoring, isForThisAddress: Bool
    let noStore, mustUnderstand, isPrivate, isPublic, mustRevalidate, hasExpires, variesByAll: Bool
    let maxAge, sharedMaxAge: Int?

    init(_ draw: inout Generator) {
        isShared = draw.isTrue()
        method = draw.oneOf(["GET", "GET", "GET", "POST", "HEAD", "PUT"])
        status = draw.oneOf([200, 200, 200, 201, 206, 302, 304, 404, 451, 299, 503, 599, 103, 600])
        (isSensitive, refusesStoring, isForThisAddress) = (draw.isTrue(oneIn: 3), draw.isTrue(oneIn: 9), draw.isTrue())
        (noStore, mustUnderstand) = (draw.isTrue(oneIn: 4), draw.isTrue(oneIn: 4))
        (isPrivate, isPublic, mustRevalidate) = (draw.isTrue(oneIn: 5), draw.isTrue(oneIn: 5), draw.isTrue(oneIn: 5))
        (hasExpires, variesByAll) = (draw.isTrue(oneIn: 4), draw.isTrue(oneIn: 9))
        maxAge = draw.maybe { $0.number(0...9) }
        sharedMaxAge = draw.maybe { $0.number(0...9) }
    }

    var request: HTTPRequest {
        var request = HTTPRequest(url: address, method: method)
        if isSensitive { request.headers["Authorization"] = "Basic YTpi" }
        if refusesStoring { request.headers["Cache-Control"] = "no-store" }
        return request
    }

    var head: ResponseHead {
        let flags = [
            ("no-store", noStore), ("must-understand", mustUnderstand), ("private", isPrivate), ("public", isPublic),
            ("must-revalidate", mustRevalidate),
        ]
        let numbers = [maxAge.map { "max-age=\($0)" }, sharedMaxAge.map { "s-maxage=\($0)" }]
        var headers = HTTPHeaders()
        headers["Cache-Control"] = (flags.filter(\.1).map(\.0) + numbers.compactMap(\.self)).joined(separator: ", ")
        if hasExpires { headers["Expires"] = arrival.advanced(by: 60).description }
        if isForThisAddress { headers["Content-Location"] = "https://example.org/photo" }
        if variesByAll { headers["Vary"] = "*" }
        return ResponseHead(status: status, headers: headers, requestTime: arrival, responseTime: arrival)
    }

    /// Section 3, in the order of its list.
    var isKept: Bool {
        let hasLifetime = maxAge != nil || (isShared && sharedMaxAge != nil) || hasExpires
        // RFC 9110, section 9.3.3: what a POST answers is kept for a later GET alone, and only if it says so.
        let isUnderstood = method == "GET" || method == "POST" && status == 200 && hasLifetime && isForThisAddress
        guard isUnderstood, [200, 201, 302, 404, 451, 299, 503, 599].contains(status) else { return false }
        // Section 5.2.2.3: 299 and 599 are no statuses.
        if mustUnderstand, status == 299 || status == 599 { return false }
        if noStore, !mustUnderstand { return false }
        if refusesStoring || variesByAll { return false }
        if isShared, isPrivate { return false }
        // Section 3.5.
        if isShared, isSensitive, !isPublic, !mustRevalidate, sharedMaxAge == nil { return false }
        let isHeuristic = status == 200 || status == 404
        return isPublic || (!isShared && isPrivate) || hasLifetime || isHeuristic
    }
}

/// The fields of a request that responses vary by.
private struct Asked {
    static let names = ["Accept-Language", "DPR", "Cookie", "X-Other"]

    let languages: [String]
    /// How the list is written: in one line or in several.
    let isInLines: Bool
    let ratio: String?
    let hasCookie, hasOther: Bool

    init(_ draw: inout Generator) {
        languages = draw.list(0...2) { $0.oneOf(["de", "en", "EN", "de;q=0.5"]) }
        isInLines = draw.isTrue()
        ratio = draw.maybe { $0.oneOf(["1", "2"]) }
        (hasCookie, hasOther) = (draw.isTrue(oneIn: 6), draw.isTrue(oneIn: 6))
    }

    var headers: HTTPHeaders {
        var headers = HTTPHeaders()
        for line in isInLines || languages.isEmpty ? languages : [languages.joined(separator: " ,")] {
            headers.append(name: "accept-language", value: line)
        }
        headers["dpr"] = ratio
        if hasCookie { headers["cookie"] = "a=b" }
        if hasOther { headers["x-other"] = "1" }
        return headers
    }

    /// Whether it has a field that a response varies by, and that may not be in a key.
    func hasUnkeyed(_ vary: [String]) -> Bool {
        hasCookie && vary.contains("Cookie") || hasOther && vary.contains("X-Other")
    }

    /// What the value of a field means: languages have no order, and no case.
    func meaning(of name: String) -> [String]? {
        switch name {
        case "Accept-Language": languages.isEmpty ? nil : languages.map { $0.lowercased() }.sorted()
        case "DPR": ratio.map { [$0] }
        default: nil
        }
    }
}
