// SPDX-License-Identifier: MIT
import Foundation
import HTTPCaching
import Synchronization
import WebImage

/// Answers the requests of the public port.
final class ImageService: Sendable {
    private let loader: any ImageLoading
    private let reader: AddressReader
    private let freshness: FreshnessRule
    private let tags = PictureTags(byteLimit: 32 << 20)
    private let page: DemoPage?
    private let isDraining = Atomic<Bool>(false)

    /// - Parameter page: Answers at `/` and `/figures`; nothing is there when `nil`.
    init(loader: any ImageLoading, reader: AddressReader, freshness: FreshnessRule, page: DemoPage? = nil) {
        self.loader = loader
        self.reader = reader
        self.freshness = freshness
        self.page = page
    }

    /// Makes `/ready` say that the server takes no more work.
    func drain() { isDraining.store(true, ordering: .releasing) }

    func answer(_ request: ServerRequest) async -> Answer {
        if request.path == "/health" || request.path == "/ready" { return answerProbe(request) }
        if let answer = await page?.answer(request) { return answer }
        do {
            return try await picture(request)
        } catch {
            return Failure(error).answer(id: request.id)
        }
    }

    /// The answer at `/health`, while the process lives, and at `/ready`, while it takes requests.
    func answerProbe(_ request: ServerRequest) -> Answer {
        switch request.path {
        case "/health": return .text(200, "ok\n")
        case "/ready":
            let isReady = !isDraining.load(ordering: .acquiring)
            return .text(isReady ? 200 : 503, isReady ? "ready\n" : "draining\n")
        default: return .problem(404, "Nothing is here.", code: "unknownAddress", id: request.id)
        }
    }

    private func picture(_ request: ServerRequest) async throws -> Answer {
        let address = try reader.read(request.target)
        let options = address.options
        let acceptsWebP = Self.acceptsWebP(request["accept"])
        var format = options.output(acceptsWebP: acceptsWebP)
        var picture = try await fresh(address, format)
        if options.format == .auto, !acceptsWebP, picture.file.format == .webp {
            // The original is a WebP file, which this client does not name among what it accepts.
            format = .png
            picture = try await fresh(address, format)
        }
        let tag = await tags.tag(of: picture.file.bytes, for: .init(address: address, format: format))
        return answer(with: picture, tag: tag, isNegotiated: options.format == .auto).applying(request)
    }

    private struct Picture {
        var file: EncodedImage
        var verdict: FreshnessRule.Verdict
        /// Whether the origin could not be asked although the picture has expired.
        var isStale = false
    }

    /// The picture, confirmed by its origin when the time that the origin has given is over. A picture whose origin
    /// fails then is served as it is.
    private func fresh(_ address: Address, _ format: OutputFormat) async throws -> Picture {
        var request = ImageRequest(address.source, transformers: address.options.transformers)
        request.firstFrameOnly = address.options.isStill
        let file = try await loader.encodedImage(for: request, as: format)
        let picture = Picture(file: file, verdict: freshness.verdict(on: file.origin, at: .now))
        guard picture.verdict.isExpired, file.source != .network else { return picture }
        request.cachePolicy = .revalidate
        do {
            let file = try await loader.encodedImage(for: request, as: format)
            return Picture(file: file, verdict: freshness.verdict(on: file.origin, at: .now))
        } catch let error as ImageLoadError where Failure(error).status >= 500 {
            return Picture(file: file, verdict: picture.verdict, isStale: true)
        }
    }

    private func answer(with picture: Picture, tag: String, isNegotiated: Bool) -> Answer {
        let file = picture.file
        var fields: [(name: String, value: String)] = [
            ("Content-Type", file.contentType), ("ETag", tag), ("Cache-Control", picture.verdict.cacheControl),
            ("Cache-Status", Self.cacheStatus(of: picture)), ("Accept-Ranges", "bytes"),
            ("X-Content-Type-Options", "nosniff"), ("Content-Disposition", "inline"),
        ]
        if isNegotiated { fields.append(("Vary", "Accept")) }
        if let age = picture.verdict.age { fields.append(("Age", String(age))) }
        // A field of the origin is passed on only when it looks as it should.
        if let modified = file.origin?.lastModified, Self.isShapedAsDate(modified) {
            fields.append(("Last-Modified", modified))
        }
        var answer = Answer(200, fields, body: file.bytes)
        answer.notes = [
            .init(name: "source", value: file.source.rawValue), .init(name: "format", value: file.format.name),
        ]
        return answer
    }

    /// - Source: RFC 9211, section 2.
    private static func cacheStatus(of picture: Picture) -> String {
        var status = picture.file.cacheStatus()
        status.cache = "image-server"
        status.detail = picture.isStale ? "stale" : status.isHit ? picture.file.source.rawValue : nil
        return status.description
    }

    /// Whether a text has the length and the end of a date, which costs less to find out than what it says.
    private static func isShapedAsDate(_ text: String) -> Bool {
        text.utf8.count == 29 && text.utf8.suffix(4).elementsEqual(" GMT".utf8)
    }

    /// Whether an `Accept` field names WebP. `*/*` does not: programs that send it often cannot show WebP.
    static func acceptsWebP(_ field: String?) -> Bool {
        (field ?? "").split(separator: ",").contains { item in
            let parts = item.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            guard parts.first == "image/webp" else { return false }
            return !parts.dropFirst().contains { $0.hasPrefix("q=") && (Double($0.dropFirst(2)) ?? 0) <= 0 }
        }
    }
}
