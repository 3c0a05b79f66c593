// SPDX-License-Identifier: MIT
import HTTPCaching
import Locks
import PlatformBasics
import WebImage

/// Answers the requests of the public port.
final class ImageService: Sendable {
    private let loader: any ImageLoading
    private let reader: Mutex<(current: AddressReader, number: Int)>
    private let freshness: FreshnessRule
    private let recent: RecentHits
    private let errors: ErrorPictures
    private let failOn: DamagePolicy
    private let page: DemoPage?
    private let now: @Sendable () -> Date
    private let isDraining = Atomic<Bool>(false)

    /// - Parameters:
    ///   - recent: Shares the memory of the process with the loader.
    ///   - errors: The pictures in place of problem documents.
    ///   - failOn: Which damage of an original is a failure.
    ///   - page: Answers at `/` and the addresses of its parts; nothing is there when `nil`.
    ///   - now: The time, by which lifetimes end.
    init(
        loader: any ImageLoading, reader: AddressReader, freshness: FreshnessRule,
        recent: RecentHits = RecentHits(), errors: ErrorPictures = ErrorPictures(),
        failOn: DamagePolicy = .truncated, page: DemoPage? = nil,
        now: @escaping @Sendable () -> Date = { .now }
    ) {
        self.recent = recent
        self.now = now
        self.errors = errors
        self.failOn = failOn
        self.loader = loader
        self.reader = Mutex((reader, 0))
        self.freshness = freshness
        self.page = page
    }

    /// Makes `/ready` say that the server takes no more work.
    func drain() { isDraining.store(true, ordering: .releasing) }

    /// Reads addresses with other keys and presets from now on. Requests that have begun are not disturbed.
    func setReader(_ reader: AddressReader) {
        self.reader.withLock {
            $0 = (reader, $0.number + 1)
            recent.removeAll()
        }
    }

    /// The answer of this second, when a client has asked for the same picture before.
    func recall(_ request: ServerRequest) -> Answer? {
        recent.answer(for: hit(request), at: RecentHits.now)?.applying(request)
    }

    private func hit(_ request: ServerRequest) -> RecentHits.Key {
        RecentHits.Key(target: request.target, acceptsWebP: Self.acceptsWebP(request.fields.accept))
    }

    func answer(_ request: ServerRequest) async -> Answer {
        let (hit, now) = (hit(request), RecentHits.now)
        if request.isProbe { return answerProbe(request) }
        if let page, let answer = await page.answer(request, by: reader.withLock { $0.current }) { return answer }
        do {
            let (reader, number) = self.reader.withLock { $0 }
            let (answer, isHit) = try await picture(hit, by: reader, id: request.id)
            if isHit, RecentHits.now == now {
                self.reader.withLock { if $0.number == number { recent.keep(answer, for: hit, at: now) } }
            }
            return answer.applying(request)
        } catch {
            let failure = Failure(error)
            var answer = errors.picture(for: failure) ?? failure.answer(id: request.id)
            if let message = failure.message { answer.notes.append(.init(name: "message", value: message)) }
            return answer
        }
    }

    /// The answer at `/health`, while the process lives, and at `/ready`, while it takes requests.
    ///
    /// - Parameter trouble: Why the disk cache does not work. The server is ready without it.
    func answerProbe(_ request: ServerRequest, trouble: CacheError? = nil) -> Answer {
        switch request.path {
        case "/health": return .text(200, "ok\n")
        case "/ready":
            let isReady = !isDraining.load(ordering: .acquiring)
            let note = trouble.map { "the disk cache does not work: \($0)\n" } ?? ""
            return .text(isReady ? 200 : 503, (isReady ? "ready\n" : "draining\n") + note)
        default: return .problem(404, "Nothing is here.", code: "unknownAddress", id: request.id)
        }
    }

    /// - Returns: The answer, and whether it came from memory and needs no confirmation.
    private func picture(
        _ wish: RecentHits.Key, by reader: AddressReader, id: String
    ) async throws -> (Answer, isHit: Bool) {
        let address = try reader.read(wish.target)
        let (options, acceptsWebP) = (address.options, wish.acceptsWebP)
        var format = options.output(acceptsWebP: acceptsWebP)
        var picture = try await fresh(address, format, id)
        if options.format == .auto, !acceptsWebP, picture.file.format == .webp {
            // The original is a WebP file, which this client does not name among what it accepts.
            format = .png
            picture = try await fresh(address, format, id)
        }
        let answer = answer(
            with: picture, tag: await Self.tag(of: picture.file), isNegotiated: options.format == .auto)
        let isHit = picture.file.source == .memory && !picture.isStale && !picture.verdict.isExpired
        return (answer, isHit)
    }

    private struct Picture {
        var file: EncodedImage
        var verdict: FreshnessRule.Verdict
        /// Whether the origin could not be asked although the picture has expired.
        var isStale = false
    }

    /// The picture, confirmed by its origin when the time that the origin has given is over. A picture whose origin
    /// fails then is served as it is.
    private func fresh(_ address: Address, _ format: OutputFormat, _ id: String) async throws -> Picture {
        var request = ImageRequest(address.source, transformers: address.options.transformers)
        request.label = id
        request.firstFrameOnly = address.options.isStill
        request.transformsAnimations = true
        request.fallsBackToFirstFrame = true
        request.failOn = failOn
        // Clients get files. The pixels of one would take the room of twenty files in memory.
        request.cacheWrites.variant = []
        let file = try await loader.encodedImage(for: request, as: format)
        let picture = Picture(file: file, verdict: freshness.verdict(on: file.origin, at: now(), until: address.expiry))
        guard picture.verdict.isExpired, file.source != .network else { return picture }
        request.cachePolicy = .revalidate
        do {
            let file = try await loader.encodedImage(for: request, as: format)
            return Picture(file: file, verdict: freshness.verdict(on: file.origin, at: now(), until: address.expiry))
        } catch let error as ImageLoadError where Failure(error).status >= 500 {
            return Picture(file: file, verdict: picture.verdict, isStale: true)
        }
    }

    /// A large file that is new is hashed elsewhere than on the loop. One in memory has been hashed for an earlier
    /// answer.
    private static func tag(of file: EncodedImage) async -> String {
        file.bytes.count > 65_536 && file.source != .memory ? await hashElsewhere(file) : file.entityTag
    }

    @concurrent private static func hashElsewhere(_ file: EncodedImage) async -> String { file.entityTag }

    private func answer(with picture: Picture, tag: String, isNegotiated: Bool) -> Answer {
        let file = picture.file
        var fields: [(name: String, value: String)] = [
            ("Content-Type", file.contentType), ("ETag", tag), ("Cache-Control", picture.verdict.cacheControl),
            ("Cache-Status", Self.cacheStatus(of: picture)), ("Accept-Ranges", "bytes"),
            ("X-Content-Type-Options", "nosniff"), ("Content-Disposition", "inline"),
        ]
        if isNegotiated { fields.append(("Vary", "Accept")) }
        if !file.damage.isEmpty { fields.append(("Image-Damage", Self.words(file.damage))) }
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

    /// Such as `missing-end, missing-pixels`.
    private static func words(_ damage: ImageDamage) -> String {
        damage.description.split(separator: ", ").map { $0.replacing(" ", with: "-") }.joined(separator: ", ")
    }

    /// - Source: RFC 9211, section 2.
    private static func cacheStatus(of picture: Picture) -> String {
        var status = picture.file.cacheStatus()
        (status.cache, status.secondsToLive) = ("image-server", picture.verdict.secondsLeft)
        status.detail = picture.isStale ? "stale" : status.isHit ? picture.file.source.rawValue : nil
        return status.description
    }

    /// Whether a text looks like a date at each of its places, which costs less to find out than what it says.
    static func isShapedAsDate(_ text: String) -> Bool {
        let shape: StaticString = "Aaa, 00 Aaa 0000 00:00:00 GMT"
        guard text.utf8.count == shape.utf8CodeUnitCount else { return false }
        let places = unsafe UnsafeBufferPointer(start: shape.utf8Start, count: shape.utf8CodeUnitCount)
        return unsafe zip(text.utf8, places).allSatisfy { byte, place in
            switch place {
            case UInt8(ascii: "0"): (0x30...0x39).contains(byte)
            case UInt8(ascii: "A"): (0x41...0x5A).contains(byte)
            case UInt8(ascii: "a"): (0x61...0x7A).contains(byte)
            default: byte == place
            }
        }
    }

    /// Whether an `Accept` field names WebP. `*/*` does not: programs that send it often cannot show WebP.
    static func acceptsWebP(_ field: String?) -> Bool {
        guard let field, !field.isEmpty else { return false }
        return field.utf8.split(separator: UInt8(ascii: ",")).contains { item in
            let parts = item.split(separator: UInt8(ascii: ";"))
            guard let name = parts.first, isEqual(name, "image/webp") else { return false }
            return !parts.dropFirst().contains { part in
                let text = Substring(part).trimmed.lowercased()
                return text.hasPrefix("q=") && (Double(text.dropFirst(2)) ?? 0) <= 0
            }
        }
    }

    /// Compares letters of either case, without the spaces around the text.
    private static func isEqual(_ text: Substring.UTF8View, _ other: StaticString) -> Bool {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let text = text.drop(while: isSpace)
        let letters = unsafe UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount)
        let rest = text.dropFirst(letters.count)
        return unsafe rest.allSatisfy(isSpace)
            && text.prefix(letters.count).elementsEqual(letters) {
                $0 == $1 || ((0x41...0x5A).contains($0) && $0 | 0x20 == $1)
            }
    }
}
