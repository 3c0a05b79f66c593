// SPDX-License-Identifier: MIT
import WebImage

/// A page that tries addresses: it shows a picture beside its original, what both of them cost, and the figures of the
/// server. The files of the folder `Page` are in the program.
struct DemoPage: Sendable {
    /// An original that the page offers.
    struct Sample: Sendable {
        let name: String
        let url: String
    }

    /// Where the figures are. The page asks for them every two seconds, so they are neither counted nor logged.
    static let figuresTarget = "/figures"

    let samples: [Sample]
    let manager: ImageManager
    let metrics: Metrics

    /// The answer at an address of the page; `nil` for other addresses.
    ///
    /// - Parameter reader: Reads the addresses that the page makes.
    func answer(_ request: ServerRequest, by reader: AddressReader) async -> Answer? {
        switch request.path {
        case "/": Self.file(Array(document(reader).utf8), "text/html; charset=utf-8")
        case "/page.css": Self.file(PackageResources.page_css, "text/css; charset=utf-8")
        case "/page.js": Self.file(PackageResources.page_js, "text/javascript; charset=utf-8")
        case "/page.svg": Self.file(PackageResources.page_svg, "image/svg+xml")
        case Self.figuresTarget[...]: .text(200, await figures(), type: "application/json")
        default: nil
        }
    }

    /// The page runs its own script alone, and asks its own server alone.
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
        trusted-types 'none'
        """

    private static func file(_ bytes: [UInt8], _ type: String) -> Answer {
        let fields = [
            ("Content-Type", type), ("Cache-Control", "no-store"), ("Content-Security-Policy", policy),
            ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ]
        return Answer(200, fields, body: bytes)
    }

    private func figures() async -> String {
        let (figures, counters, occupancy) = (metrics.figures, manager.counters, await manager.occupancy)
        let members: [(String, Int)] = [
            ("requests", figures.count), ("from memory", figures.countOfSource["memory"] ?? 0),
            ("from disk", figures.countOfSource["disk"] ?? 0), ("from origins", figures.countOfSource["network"] ?? 0),
            ("originals fetched", counters.downloads), ("fetched bytes", counters.downloadedByteCount),
            ("loads under way", occupancy.flights), ("clients that wait", occupancy.callers),
            ("failures", figures.countOfError.values.reduce(0, +)),
        ]
        return "{\(members.map { "\"\($0)\":\($1)" }.joined(separator: ","))}"
    }

    /// The document with what its script must know of the server. It has no key.
    private func document(_ reader: AddressReader) -> String {
        let samples = samples.map { "{\"name\":\($0.name.quotedJSON),\"url\":\($0.url.quotedJSON)}" }
        let members = [
            "\"version\":\(Version.number.quotedJSON)", "\"unsigned\":\(reader.allowsUnsigned)",
            "\"presets\":[\(reader.presets.keys.sorted().map(\.quotedJSON).joined(separator: ","))]",
            "\"presetsOnly\":\(reader.allowsPresetsOnly)", "\"samples\":[\(samples.joined(separator: ","))]",
        ]
        // An element ends at its end tag, also within a string.
        let json = "{\(members.joined(separator: ","))}".replacing("<", with: "\\u003c")
        return String(decoding: PackageResources.page_html, as: UTF8.self)
            .replacing("{}</script>", with: json + "</script>")
    }
}
