// SPDX-License-Identifier: MIT
import PlatformBasics
import WebImage

/// The pictures that clients get in place of problem documents. They have the status of the failure.
struct ErrorPictures: Sendable {
    /// A file with a picture.
    struct File: Sendable {
        let bytes: [UInt8]
        let contentType: String

        /// - Returns: `nil` for bytes that are no picture.
        init?(_ bytes: [UInt8]) {
            guard let properties = try? ImageCoders.default.properties(of: bytes),
                (try? ImageCoders.default.decode(bytes)) != nil
            else { return nil }
            self.bytes = bytes
            contentType = properties.format.mimeType
        }

        /// A grey square with a cross.
        static let cross: File? = {
            let side = 64
            var pixels: [UInt8] = []
            for place in 0..<(side * side) {
                let (x, y) = (place % side, place / side)
                let isOnCross = (abs(x - y) < 3 || abs(x + y - side + 1) < 3) && (12..<52).contains(x)
                let shade: UInt8 = isOnCross ? 0x88 : 0xE0
                pixels += [shade, shade, shade, 255]
            }
            let frames = [DecodedImage.Frame(pixels: pixels)]
            guard let image = try? DecodedImage(width: side, height: side, frames: frames, hasAlpha: false),
                let bytes = try? ImageCoders.default.encode(image, as: .png)
            else { return nil }
            return File(bytes)
        }()
    }

    /// In place of every problem document.
    var ofAll: File?
    /// In place of a picture that could not be loaded or made.
    var fallback: File?

    /// - Returns: `nil` when the client shall get the problem document.
    func picture(for failure: Failure) -> Answer? {
        guard let file = (failure.isOfLoad ? fallback : nil) ?? ofAll else { return nil }
        var answer = Answer(
            failure.status, [("Content-Type", file.contentType), ("Cache-Control", "no-store")] + failure.fields,
            body: file.bytes)
        answer.notes = [.init(name: "error", value: failure.code)]
        return answer
    }
}
