import Foundation
import HTTPTransport
import ImageCoding

extension EntryMetadata {
    /// Creates metadata from what the origin said about the bytes it sent.
    init(_ download: Download, url: URL) {
        self.init(
            url: url.absoluteString, contentType: download.headers["Content-Type"], httpStatus: download.status,
            etag: download.headers["ETag"], lastModified: download.headers["Last-Modified"])
    }

    /// The fields that ask the origin whether the bytes are still valid.
    ///
    /// - Source: RFC 9110, sections 13.1.2 and 13.1.3.
    var validators: HTTPHeaders {
        var headers = HTTPHeaders()
        if let etag { headers["If-None-Match"] = etag }
        if let lastModified { headers["If-Modified-Since"] = lastModified }
        return headers
    }

    mutating func describe(_ properties: ImageProperties) {
        format = properties.format.name
        pixelWidth = properties.width
        pixelHeight = properties.height
        frameCount = properties.frameCount
    }
}

extension DiskEntry {
    init(_ file: EncodedImage, url: URL) {
        let metadata = EntryMetadata(
            url: url.absoluteString, contentType: file.contentType, format: file.format.name,
            pixelWidth: file.width, pixelHeight: file.height, frameCount: file.frameCount)
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
            frameCount: entry.metadata.frameCount ?? 1, source: .disk)
    }
}
