// SPDX-License-Identifier: MIT
import WebImage

/// A page that tries addresses: it shows the picture with its bytes and milliseconds, and the figures of the server.
struct DemoPage: Sendable {
    /// An original that the page offers.
    struct Sample: Sendable {
        let name: String
        let url: String
    }

    let samples: [Sample]
    let manager: ImageManager
    let metrics: Metrics

    /// The answer at `/` and `/figures`; `nil` for other addresses.
    func answer(_ request: ServerRequest) async -> Answer? {
        switch request.path {
        case "/":
            var answer = Answer.text(200, html, type: "text/html; charset=utf-8")
            answer.fields.append(("Content-Security-Policy", Self.policy))
            return answer
        case "/figures": return .text(200, await figures(), type: "application/json")
        default: return nil
        }
    }

    private static let policy =
        "default-src 'none'; img-src 'self' blob:; connect-src 'self'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

    private func figures() async -> String {
        let (figures, counters, occupancy) = (metrics.figures, manager.counters, await manager.occupancy)
        let members: [(String, Int)] = [
            ("requests", figures.count), ("from memory", figures.countOfSource["memory"] ?? 0),
            ("from disk", figures.countOfSource["disk"] ?? 0), ("from origins", figures.countOfSource["network"] ?? 0),
            ("downloads", counters.downloads), ("downloaded bytes", counters.downloadedByteCount),
            ("waiting callers", occupancy.callers), ("flights", occupancy.flights),
            ("failures", figures.countOfError.values.reduce(0, +)),
        ]
        return "{\(members.map { "\"\($0)\":\($1)" }.joined(separator: ","))}"
    }

    private var html: String {
        let list = samples.map { "{\"name\":\($0.name.quotedJSON),\"url\":\($0.url.quotedJSON)}" }
        // A script ends at its end tag, also within a string.
        let json = "[\(list.joined(separator: ","))]".replacing("<", with: "\\u003c")
        return Self.document.replacing("/*SAMPLES*/[]", with: json)
    }
}
