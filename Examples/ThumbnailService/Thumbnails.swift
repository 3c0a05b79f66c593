// SPDX-License-Identifier: MIT
import Foundation
import SignedAddresses
import WebImage

/// Turns addresses into answers. It knows nothing of sockets.
struct Thumbnails: Sendable {
    /// The sides of the squares that thumbnails fit into, in pixels.
    static let sizes = ["small": 160, "medium": 320, "large": 1_024]
    let manager: ImageManager
    let addresses: SignedAddresses
    /// Names the request in the activities of the manager.
    var label: String?

    /// Answers `/{size}/{signature}/{source}` with a WebP file.
    ///
    /// A cancelled task leaves its load, which ends with its last caller.
    ///
    /// - Parameters:
    ///   - target: Path and query of the request, as they were sent.
    ///   - known: The `If-None-Match` of the request.
    func answer(_ target: String, unless known: String?) async -> Answer {
        guard let address = try? addresses.read(target),
            let side = Self.sizes[address.options],
            let url = URL(string: address.source)
        else { return .text(403, "The address is not signed, or over.") }
        let size = PixelSize(width: side, height: side)
        var request = ImageRequest(url, transformers: [.resize(to: size)])
        request.label = label
        do {
            let file = try await manager.encodedImage(
                for: request, as: .webp())
            let fields = [
                "ETag": file.entityTag, "Content-Type": file.contentType,
                "Cache-Control": "public, max-age=3600",
            ]
            if let known, known == "*" || known.contains(file.entityTag) {
                return Answer(status: 304, fields: fields)
            }
            return Answer(status: 200, fields: fields, body: file.bytes)
        } catch let error as ImageLoadError {
            return .text(error.suggestedHTTPStatus, error.publicMessage)
        } catch { return .text(503, "The client has left.") }
    }
}

/// A response, for any server.
struct Answer: Sendable {
    var status: Int
    var fields = ["Content-Type": "text/plain"]
    var body: [UInt8] = []

    static func text(_ status: Int, _ text: String) -> Answer {
        Answer(status: status, body: Array(text.utf8))
    }
}
