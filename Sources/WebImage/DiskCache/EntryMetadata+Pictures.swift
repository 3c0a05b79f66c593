// SPDX-License-Identifier: MIT
import HTTPTransport
import ImageCoding
import PlatformBasics

/// How the response of an origin is kept in the metadata of an entry.
extension EntryMetadata {
    /// Creates metadata of what the origin said.
    ///
    /// - Parameter url: The address that was requested.
    init(_ origin: OriginResponse, url: URL) {
        self.init(url: url.absoluteString)
        note(origin)
    }

    /// Replaces what the origin said. Properties of the picture and the attributes of others stay.
    mutating func note(_ origin: OriginResponse) {
        contentType = origin.headers["Content-Type"]
        httpStatus = origin.status
        etag = origin.entityTag
        lastModified = origin.lastModified
        responseDate = Int64(exactly: origin.receivedAt.timeIntervalSince1970.rounded())
        let delay = max(0, HTTPDate(origin.receivedAt).seconds(since: HTTPDate(origin.requestedAt)))
        attributes[Self.delay] = delay > 0 ? String(delay) : nil
        for name in OriginResponse.storedFields where origin.headers[name] != nil || attributes[Self.place(name)] != nil
        {
            attributes[Self.place(name)] = origin.headers.values(for: name).joined(separator: ", ")
        }
        if origin.url.absoluteString != url { attributes[Self.finalURL] = origin.url.absoluteString }
    }

    /// What the origin said; `nil` for an entry that was not made of a response.
    var origin: OriginResponse? {
        guard let httpStatus, let url = URL(string: attributes[Self.finalURL] ?? url) else { return nil }
        var headers = HTTPHeaders()
        for name in OriginResponse.storedFields {
            if let value = attributes[Self.place(name)], !value.isEmpty { headers[name] = value }
        }
        headers["Content-Type"] = contentType
        headers["ETag"] = etag
        headers["Last-Modified"] = lastModified
        let received = Date(timeIntervalSince1970: Double(responseDate ?? storedAt))
        let delay = attributes[Self.delay].flatMap { Int($0) } ?? 0
        var origin = OriginResponse(
            url: url, status: httpStatus, headers: headers,
            requestedAt: received.addingTimeInterval(-Double(min(max(0, delay), 86_400))), receivedAt: received)
        if !varySelectors.isEmpty || headers.contains(name: "Vary") { origin.selectors = varySelectors }
        return origin
    }

    mutating func describe(_ properties: ImageProperties) {
        format = properties.format.name
        pixelWidth = properties.width
        pixelHeight = properties.height
        frameCount = properties.frameCount
    }

    /// Whether a variant was made of an original that stores its pixels exactly.
    var isMadeFromLossless: Bool {
        get { attributes["lossless"] != nil }
        set { attributes["lossless"] = newValue ? "yes" : nil }
    }

    /// What was wrong with the original, as far as it is known.
    var damage: ImageDamage {
        get {
            let bits = ImageDamage(rawValue: attributes["damage"].flatMap { Int($0) } ?? 0)
            return bits.intersection([.missingEnd, .missingPixels, .corruptData, .notExamined])
        }
        set { attributes["damage"] = newValue.isEmpty ? nil : String(newValue.rawValue) }
    }

    private static let finalURL = "finalURL"
    /// Seconds from the request to the head of the response.
    private static let delay = "delay"
    private static func place(_ field: String) -> String { "field:" + field.lowercased() }
}

extension DiskEntry {
    init(_ file: EncodedImage, url: URL) {
        var metadata = EntryMetadata(
            url: url.absoluteString, contentType: file.contentType, format: file.format.name,
            pixelWidth: file.width, pixelHeight: file.height, frameCount: file.frameCount)
        metadata.damage = file.damage
        self.init(metadata: metadata, bytes: file.bytes)
    }
}

extension EncodedImage {
    /// Creates the file of a cache entry; `nil` when the entry lacks the format or the size.
    init?(_ entry: DiskEntry) {
        guard let format = ImageFormat.all.first(where: { $0.name == entry.metadata.format }),
            let width = entry.metadata.pixelWidth, let height = entry.metadata.pixelHeight
        else { return nil }
        self.init(
            bytes: entry.bytes, format: format, width: width, height: height,
            frameCount: entry.metadata.frameCount ?? 1, source: .disk, origin: entry.metadata.origin)
        damage = entry.metadata.damage
        generation = entry.metadata.madeFrom ?? entry.metadata.generation
    }
}
