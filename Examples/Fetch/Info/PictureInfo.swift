// SPDX-License-Identifier: MIT
import WebImage

/// What a picture is, from the head and the metadata of its file. Nothing is decoded.
struct PictureInfo {
    private let properties: ImageProperties
    private let byteCount: Int
    /// The name of the colour profile; `nil` without a profile.
    private let profile: String?
    private let exif: Exif

    /// - Throws: ``ImageError`` for a file that is no picture, or whose head is damaged.
    init(_ file: [UInt8]) throws {
        properties = try ImageCoders.default.properties(of: file)
        byteCount = file.count
        let blocks = MetadataBlocks(of: file)
        profile = blocks.profile.map { Self.name(ofProfile: $0) ?? "a profile without a name" }
        exif = Exif(blocks.exif)
    }

    private static let turns = [
        "", "", "mirrored", "turned by 180 degrees", "turned by 180 degrees and mirrored", "turned left and mirrored",
        "turned right", "turned right and mirrored", "turned left",
    ]

    /// A line for the picture, and one for each thing that most pictures have not.
    func text(named name: String) -> String {
        let frames = properties.frameCount.map { $0 > 1 ? "\($0) frames" : nil } ?? "an unknown number of frames"
        let facts = [
            properties.format.name, "\(properties.size)", frames, Amount.bytes(byteCount),
            properties.hasAlpha ? "transparent" : nil, properties.isLossless ? "lossless" : nil,
        ].compactMap(\.self)
        let more = [
            ("colours", profile),
            ("shown", properties.orientation == .up ? nil : Self.turns[properties.orientation.rawValue]),
            ("camera", exif.camera), ("lens", exif.lens), ("time", exif.time),
            ("exposure", exif.settings.isEmpty ? nil : exif.settings),
            ("place", exif.hasPlace ? "in the file; not printed" : nil),
        ].compactMap { word, value in value.map { "  " + word.padded(to: 10) + $0 } }
        return (["\(name): " + facts.joined(separator: ", ")] + more).map(\.printable).joined(separator: "\n")
    }

    /// One JSON object on one line.
    func json(named name: String) -> String {
        func quoted(_ text: String?) -> String? { text.map(\.quotedJSON) }
        func number(_ number: Double?) -> String? { number.map { "\($0)" } }
        let fields: [(String, String?)] = [
            ("url", name.quotedJSON), ("ok", "true"), ("format", properties.format.name.quotedJSON),
            ("width", "\(properties.width)"), ("height", "\(properties.height)"),
            ("frames", properties.frameCount.map { "\($0)" }), ("bytes", "\(byteCount)"),
            ("alpha", "\(properties.hasAlpha)"), ("lossless", "\(properties.isLossless)"),
            ("orientation", "\(properties.orientation.rawValue)"), ("profile", quoted(profile)),
            ("camera", quoted(exif.camera)), ("lens", quoted(exif.lens)), ("time", quoted(exif.time)),
            ("exposureSeconds", number(exif.exposure)), ("aperture", number(exif.aperture)),
            ("sensitivity", exif.sensitivity.map { "\($0)" }), ("focalLength", number(exif.focalLength)),
            ("hasPlace", "\(exif.hasPlace)"),
        ]
        return "{" + fields.compactMap { name, value in value.map { #""\#(name)":\#($0)"# } }.joined(separator: ",")
            + "}"
    }

    /// The text in the tag `desc` of an ICC profile, which is ASCII or has UTF-16 for several languages.
    ///
    /// - Source: ICC.1:2001, section 6.5.17; ICC.1:2022, sections 7.3 and 10.15.
    private static func name(ofProfile bytes: [UInt8]) -> String? {
        func number(_ offset: Int) -> Int {
            offset + 4 <= bytes.count ? bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } : 0
        }
        func part(_ start: Int, _ count: Int) -> ArraySlice<UInt8>? {
            start + count <= bytes.count && count <= 1_000 ? bytes[start..<start + count] : nil
        }
        let tags = (0..<min(number(128), 100)).map { 132 + $0 * 12 }
        guard let tag = tags.first(where: { part($0, 4)?.elementsEqual("desc".utf8) == true }) else { return nil }
        let start = number(tag + 4)
        var text: String?
        if part(start, 4)?.elementsEqual("mluc".utf8) == true,
            let part = part(start + number(start + 24), number(start + 20))
        {
            let units = stride(from: part.startIndex, to: part.endIndex - 1, by: 2).map {
                UInt16(part[$0]) << 8 | UInt16(part[$0 + 1])
            }
            text = String(decoding: units, as: UTF16.self)
        } else if let part = part(start + 12, number(start + 8)) {
            text = String(decoding: part.prefix { $0 != 0 }, as: UTF8.self)
        }
        return text?.isEmpty == false ? text : nil
    }
}
