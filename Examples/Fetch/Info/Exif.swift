// SPDX-License-Identifier: MIT
/// What the EXIF block of a picture says about the shot. The block is untrusted: what is not valid counts as absent.
///
/// - Source: TIFF 6.0, section 2; CIPA DC-008 (EXIF 2.32).
struct Exif {
    private(set) var camera: String?
    private(set) var lens: String?
    /// As the camera writes it: `2024:05:01 12:30:00`.
    private(set) var time: String?
    /// In seconds.
    private(set) var exposure: Double?
    private(set) var aperture: Double?
    private(set) var sensitivity: Int?
    /// In millimetres.
    private(set) var focalLength: Double?
    /// Whether the block has a place. The place itself is not read.
    private(set) var hasPlace = false

    init(_ block: ArraySlice<UInt8>?) {
        guard let block, let reader = Reader(block), let start = reader.number(4, 4) else { return }
        let main = reader.directory(at: start)
        let shot = main[0x8769].flatMap { reader.number(4, $0 + 8) }.map(reader.directory) ?? [:]
        func text(_ entry: Int?) -> String? { entry.flatMap(reader.text) }
        func ratio(_ tag: Int) -> Double? { shot[tag].flatMap(reader.ratio) }
        let (maker, model) = (text(main[0x010F]), text(main[0x0110]))
        // Many models repeat their maker.
        let isRepeated = model?.lowercased().hasPrefix(maker?.lowercased() ?? "") == true
        camera = isRepeated ? model : [maker, model].compactMap(\.self).joined(separator: " ")
        if camera?.isEmpty == true { camera = nil }
        lens = text(shot[0xA434])
        time = text(shot[0x9003]) ?? text(main[0x0132])
        exposure = ratio(0x829A)
        aperture = ratio(0x829D)
        sensitivity = shot[0x8827].flatMap { reader.number(2, $0 + 8) }
        focalLength = ratio(0x920A)
        hasPlace = !(main[0x8825].flatMap { reader.number(4, $0 + 8) }.map(reader.directory) ?? [:]).isEmpty
    }

    /// `1/120 s, f/1.8, ISO 100, 26 mm`.
    var settings: String {
        [
            exposure.map { $0 < 0.4 ? "1/\(Int((1 / $0).rounded())) s" : "\(Self.short($0)) s" },
            aperture.map { "f/\(Self.short($0))" }, sensitivity.map { "ISO \($0)" },
            focalLength.map { "\(Self.short($0)) mm" },
        ].compactMap(\.self).joined(separator: ", ")
    }

    private static func short(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}

extension Exif {
    /// The numbers of a TIFF structure; `nil` beyond its end.
    private struct Reader {
        private let bytes: ArraySlice<UInt8>
        private let isLittleEndian: Bool

        init?(_ block: ArraySlice<UInt8>) {
            bytes = block.starts(with: Array("Exif\0\0".utf8)) ? block.dropFirst(6) : block
            guard let order = bytes.first, [0x49, 0x4D].contains(order) else { return nil }
            isLittleEndian = order == 0x49
        }

        func part(_ offset: Int, _ count: Int) -> ArraySlice<UInt8>? {
            guard offset >= 0, count >= 0, offset <= bytes.count - count else { return nil }
            return bytes.dropFirst(offset).prefix(count)
        }

        func number(_ count: Int, _ offset: Int) -> Int? {
            guard let part = part(offset, count) else { return nil }
            return (isLittleEndian ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | Int($1) }
        }

        /// The places of the entries by their tags.
        func directory(at offset: Int) -> [Int: Int] {
            var places: [Int: Int] = [:]
            for index in 0..<min(number(2, offset) ?? 0, 1_000) {
                let place = offset + 2 + index * 12
                guard part(place, 12) != nil, let tag = number(2, place) else { break }
                places[tag] = places[tag] ?? place
            }
            return places
        }

        func text(_ entry: Int) -> String? {
            guard number(2, entry + 2) == 2, let count = number(4, entry + 4), count > 0, count <= 1_000,
                let start = count <= 4 ? entry + 8 : number(4, entry + 8), let part = part(start, count)
            else { return nil }
            let text = String(decoding: part.prefix { $0 != 0 }, as: UTF8.self)
            let ends = text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
            return ends.isEmpty ? nil : String(ends)
        }

        /// A fraction above 0 and below a million.
        func ratio(_ entry: Int) -> Double? {
            guard number(2, entry + 2) == 5, let start = number(4, entry + 8), let top = number(4, start),
                let bottom = number(4, start + 4), top > 0, bottom > 0
            else { return nil }
            let ratio = Double(top) / Double(bottom)
            return (1e-6..<1e6).contains(ratio) ? ratio : nil
        }
    }
}
