// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Keys and identities of requests against lists of what requests ask for.
struct KeyModelTests {
    @Test func `two requests share a transfer, a name and a load when they ask for the same, and never otherwise`()
        async
    {
        await Property(cases: 4_000) { draw in
            let first = AskedPicture(&draw)
            return (first: first, second: first.changed(&draw))
        }.holds { first, second in
            let (one, other) = (first.request, second.request)
            func load(_ request: ImageRequest) -> LoadKey { LoadKey(request, variant: request.variantKey) }
            let sharesName = first.name == second.name
            return same(RequestIdentity(one), RequestIdentity(other), first.sent == second.sent, "transfer")
                ?? same(one.originalKey, other.originalKey, sharesName, "original")
                ?? same(one.variantKey, other.variantKey, sharesName && first.picture == second.picture, "variant")
                ?? same(
                    PictureIdentity(one), PictureIdentity(other),
                    sharesName && first.picture == second.picture && first.sent == second.sent, "picture")
                ?? same(
                    load(one), load(other),
                    sharesName && first.picture == second.picture && first.sent == second.sent
                        && first.load == second.load, "load")
                ?? same(load(one), load(one), true, "a load and itself")
        }
    }

    @Test func `two files have one name when they are one file, and never otherwise`() async {
        let box = PixelSize(width: 9, height: 9)
        let formats: [OutputFormat] = [
            .original, .png, .gif, .jpeg(quality: 80), .jpeg(quality: 81), .jpeg(9), .webp(), .webp(9),
            .encoded(.png.limited(to: box)), .encoded(.png.limited(toByteCount: 9)), .encoded(.apng),
            .encoded(.losslessWebP), .encoded(.jpeg(isProgressive: true)), .encoded(.jpeg(background: .black)),
            .encoded(.webp(effort: 3)), .encoded(.gif(isDithered: false)), .encoded(.png.keeping(.all)), .blurHash,
            .thumbHash,
        ]
        await Property(cases: 6_000) { draw in
            let first = AskedPicture(&draw)
            return (first, draw.oneOf(formats), first.changed(&draw), draw.oneOf(formats))
        }.holds { first, format, second, other in
            /// The picture that is written; a box is a last resize.
            func written(_ asked: AskedPicture, _ format: OutputFormat) -> [String: String] {
                guard case .encoded(let encoded) = format, let box = encoded.options.maximumSize else {
                    return asked.picture
                }
                var fitted = asked
                let resize = ResizeTransformer(size: box).key
                if asked.transformers.last != resize { fitted.transformers.append(resize) }
                return fitted.picture
            }
            func isReceived(_ asked: AskedPicture, _ format: OutputFormat) -> Bool {
                format == .original && asked.transformers.isEmpty && !asked.flags.contains("first")
            }
            let areReceived = isReceived(first, format) && isReceived(second, other)
            let isNeither = !isReceived(first, format) && !isReceived(second, other)
            let isSame =
                first.name == second.name
                && (areReceived || isNeither && format == other && written(first, format) == written(second, other))
            let (one, another) = (first.request.fileKey(format), second.request.fileKey(other))
            let isPicture = one == first.request.variantKey
            return same(one, another, isSame, "file")
                ?? unless(!isPicture || isReceived(first, format), "a file has the name of the picture")
        }
    }

    @Test func `what may be on disk names no credential`() async {
        await Property(cases: 3_000) { AskedPicture(&$0) }.holds { asked in
            let request = asked.request
            guard request.allowsDisk else { return nil }
            guard asked.cacheKey == nil else {
                return difference(request.originalKey.rawValue.contains("secret"), false)
            }
            let isPlain = asked.body == nil && asked.names["modifier"] == nil && asked.credential == nil
            return unless(
                isPlain && asked.cookie == nil && !request.originalKey.rawValue.contains("secret"), "\(asked) is kept")
        }
    }
}

/// Says when two values are equal, or have one hash, against the expectation.
private func same<Value: Hashable>(_ one: Value, _ other: Value, _ isExpected: Bool, _ subject: String) -> String? {
    if (one == other) != isExpected { return "\(subject): equal is \(one == other)" }
    return unless(one != other || one.hashValue == other.hashValue, "\(subject): hashes differ")
}

/// What a request asks for, as texts.
private struct AskedPicture {
    /// Equal as strings, or equal when parts were written one after the other.
    private static let spellings = ["a", "b", "\u{E9}", "e\u{301}", "", "a\0", "1:a"]
    private static let caches = ImageCaches(watch: nil, disk: nil)
    private static let kinds = ["modifier", "response", "body", "serializer", "loader", "redirects"]

    var url = "https://example.org/1.png"
    var fragment = ""
    var method = "GET"
    var fields: [[String]] = []
    var body: [UInt8]?
    var names: [String: String] = [:]
    var credential, cookie, coders, caches, cacheKey, label: String?
    var timeout: Int?
    var acceptsAll = false
    var transformers: [String] = []
    var flags: Set<String> = []
    var scale = 1.0
    var byteBudget, frameLimit, age: Int?
    var failOn = DamagePolicy.truncated
    var policy = CachePolicy.cacheFirst
    var reads = CacheAccess.all
    var priority = ImagePriority.normal

    init(_ draw: inout Generator) {
        for _ in 0..<draw.number(0...3) { change(&draw) }
    }

    func changed(_ draw: inout Generator) -> AskedPicture {
        var copy = self
        for _ in 0..<draw.number(0...2) { copy.change(&draw) }
        if draw.isTrue(oneIn: 5) { copy.respell() }
        return copy
    }

    /// A name and a value; only negotiation may be on disk.
    private static func field(_ draw: inout Generator) -> [String] {
        let name = draw.oneOf(["x", "X", "y", "accept"])
        return [name, draw.oneOf(name == "accept" ? spellings : spellings + ["secret"])]
    }

    /// Draws one of the parts anew.
    private mutating func change(_ draw: inout Generator) {
        func spelling() -> String { draw.oneOf(Self.spellings) }
        switch draw.number(0...22) {
        case 0:
            url = draw.oneOf(["https://example.org/1.png", "https://example.org/2.png", "https://example.org/%31.png"])
        case 1: fragment = draw.oneOf(["", "#a", "#b"])
        case 2: method = draw.oneOf(["GET", "POST", "get"])
        case 3: fields = draw.list(0...2) { Self.field(&$0) }
        case 4: body = draw.maybe { draw in draw.list(0...2) { UInt8($0.oneOf([0xC3, 0x28, 0])) } }
        case 5, 6: names[draw.oneOf(Self.kinds)] = draw.maybe { $0.oneOf(Self.spellings) }
        case 7: credential = draw.maybe { $0.oneOf(["secret", "b"]) }
        case 8: cookie = draw.maybe { $0.oneOf(["secret", "\u{E9}", "e\u{301}"]) }
        case 9: timeout = draw.maybe { $0.number(1...2) }
        case 10: acceptsAll = draw.isTrue()
        case 11: cacheKey = draw.maybe { $0.oneOf(Self.spellings) }
        case 12:
            transformers = draw.list(0...2) {
                $0.oneOf(Self.spellings + [ResizeTransformer(size: PixelSize(width: 9, height: 9)).key])
            }
        case 13: flags.formSymmetricDifference([draw.oneOf(["first", "all", "transformed", "falling", "colors"])])
        case 14: scale = draw.oneOf([1, 2, 2.5])
        case 15: byteBudget = draw.maybe { $0.number(1...2) }
        case 16: failOn = draw.oneOf([.truncated, .never, .anyDamage])
        case 17: coders = draw.maybe { $0.oneOf(Self.spellings) }
        case 18: caches = draw.maybe { $0.oneOf(Self.spellings) }
        case 19: frameLimit = draw.maybe { $0.number(1...2) }
        case 20: age = draw.maybe { $0.number(1...2) }
        case 21: (policy, reads) = (draw.oneOf([.cacheFirst, .reload, .http]), draw.oneOf([.all, .memory]))
        default: (priority, label) = (draw.oneOf([.normal, .high]), spelling())
        }
    }

    /// Writes every text in the other one of the spellings that are equal as strings.
    private mutating func respell() {
        func other(_ text: String) -> String {
            text == "\u{E9}" ? (text.utf8.count == 2 ? "e\u{301}" : "\u{E9}") : text
        }
        (names, fields) = (names.mapValues(other), fields.map { [$0[0], other($0[1])] })
        (transformers, cookie) = (transformers.map(other), cookie.map(other))
        (coders, caches, cacheKey) = (coders.map(other), caches.map(other), cacheKey.map(other))
    }

    var request: ImageRequest {
        var request = ImageRequest(URL(string: url + fragment)!, priority: priority)
        (request.method, request.body, request.cacheKey, request.label) = (method, body, cacheKey, label)
        for field in fields { request.headers.append(name: field[0], value: field[1]) }
        request.modifier = names["modifier"].map { RequestModifier(identity: $0) { $0 } }
        request.responseModifier = names["response"].map { ResponseModifier(identity: $0) { $0 } }
        request.bodyTransformer = names["body"].map { BodyTransformer(identity: $0) { body, _ in body } }
        request.cacheSerializer = names["serializer"].map { CacheSerializer(identity: $0) { file, _ in file.bytes } }
        request.loader = names["loader"].map { Identified(identity: $0, StubLoader()) }
        var options = HTTPRequest.Options()
        options.redirectRule = names["redirects"].map { HTTPRedirectRule(identity: $0) { _ in .follow } }
        options.credential = credential.map { .bearer($0) }
        if let cookie { options.cookies.values = ["a": cookie] }
        options.totalTimeout = timeout.map { .seconds($0) }
        if acceptsAll { options.acceptableStatuses = .all }
        if options != HTTPRequest.Options() { request.transfer = options }
        request.transformers = transformers.map { NamedTransformer(key: $0) }
        request.firstFrameOnly = flags.contains("first")
        request.allFrames = flags.contains("all")
        request.transformsAnimations = flags.contains("transformed")
        request.fallsBackToFirstFrame = flags.contains("falling")
        if flags.contains("colors") { request.keepsColors = true }
        if scale != 1 { request.scale = scale }
        if byteBudget != nil { request.byteBudget = byteBudget }
        if failOn != .truncated { request.failOn = failOn }
        request.coders = coders.map { Identified(identity: $0, .default) }
        request.caches = caches.map { Identified(identity: $0, Self.caches) }
        if let frameLimit {
            request.limits = .default
            request.limits?.maximumFrameCount = frameLimit
        }
        request.lifetime.memory = age.map { .absolute(.seconds($0)) }
        (request.cachePolicy, request.cacheReads) = (policy, reads)
        return request
    }

    // MARK: - What it means

    /// The bytes of texts, because strings of different bytes may be equal.
    private static func bytes(_ text: String?) -> String { text.map { "\(Array($0.utf8))" } ?? "-" }

    /// What changes the bytes that come.
    private var content: [String: String] {
        var content = [
            "url": url, "method": method, "fields": fields.map { $0[0].lowercased() + Self.bytes($0[1]) }.joined(),
            "content": body.map { "\($0)" } ?? "-", "credential": Self.bytes(credential),
            "cookie": Self.bytes(cookie), "accepts": "\(acceptsAll)",
        ]
        for kind in Self.kinds { content[kind] = Self.bytes(names[kind]) }
        return content
    }

    /// What is sent. A time limit would end the transfer of others.
    var sent: [String: String] { content.merging(["timeout": "\(timeout ?? 0)"]) { $1 } }
    /// The name of the original.
    var name: [String: String] { cacheKey.map { ["key": Self.bytes($0)] } ?? content }

    /// What is made of the bytes.
    var picture: [String: String] {
        var frames = flags.subtracting(transformers.isEmpty ? ["colors", "transformed"] : ["colors"])
        // There are no others then.
        if frames.contains("first") { frames = ["first"] }
        return [
            "transformers": transformers.map { Self.bytes($0) }.joined(), "frames": "\(frames.sorted())",
            "colors": "\(flags.contains("colors"))", "scale": "\(scale)", "budget": "\(byteBudget ?? 0)",
            "damage": "\(failOn)", "coders": Self.bytes(coders),
        ]
    }

    /// How it is loaded and kept.
    var load: [String] {
        ["\(policy)", "\(reads)", Self.bytes(caches), "\(frameLimit ?? 0)", "\(age ?? 0)"]
    }
}

private struct NamedTransformer: ImageTransforming {
    let key: String

    func transform(_ image: DecodedImage) -> DecodedImage { image }
}
