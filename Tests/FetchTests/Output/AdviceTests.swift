// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImage

@testable import fetch

struct AdviceTests {
    /// A failure whose cause is of a lower layer, as the library makes it.
    private static func failure(
        _ cause: any Error, _ message: String, advice: String? = "Change `limits`."
    ) -> ImageLoadError {
        ImageLoadError(code: .undecodable, message: message, advice: advice, cause: cause)
    }

    private static func failure(_ code: ImageError.Code, _ message: String, advice: String? = nil) -> ImageLoadError {
        failure(ImageError(code: code, message: message), message, advice: advice)
    }

    @Test(arguments: [
        (
            failure(
                HTTPError(code: .truncatedBody, message: ""),
                "transfer closed with 96 bytes remaining to read (libcurl 18)."),
            "transfer closed with 96 bytes remaining to read. --retry N tries again."
        ),
        (
            failure(
                .unsupportedFormat, "This build has no decoder for svg.",
                advice: "Insert one into ImageCoders.decoders."),
            "This build has no decoder for svg. fetch reads jpeg, png, gif, webp, bmp and ico."
        ),
        (
            failure(
                .unsupportedFormat, "This build has no decoder for tiff.",
                advice:
                    "Enable the package trait TIFF and install libtiff-dev, or insert one into ImageCoders.decoders."
            ),
            """
            This build has no decoder for tiff. A fetch built with swift build --traits TIFF reads it; install \
            libtiff-dev for that.
            """
        ),
        (
            failure(
                .tooLarge, "9x9 pixels: a frame may have 5 at most.", advice: "Raise `ImageLimits.maximumPixelCount`."),
            "9x9 pixels: a frame may have 5 at most. --max-pixels N raises the limit."
        ),
        (
            failure(.tooLarge, "300 frames: an animation may have 256 at most."),
            "300 frames: an animation may have 256 at most."
        ),
        (
            failure(.tooLarge, "3 frames of 9x9: an animation may have 99 pixels at most."),
            "3 frames of 9x9: an animation may have 99 pixels at most. --max-pixels N raises the limit."
        ),
        (
            failure(.memoryLimitExceeded, "It takes 9 bytes.", advice: "Raise the manager's `maximum`."),
            "It takes 9 bytes."
        ),
        (
            failure(HTTPError(code: .certificateNotTrusted, message: ""), "The issuer is unknown."),
            "The issuer is unknown. --insecure accepts it."
        ),
        (failure(.malformed, "The header is broken", advice: "Change `it`."), "The header is broken."),
        (failure(.workLimitExceeded, "It is slow."), "It is slow. --max-pixels N raises this limit, too."),
    ]) func `a failure ends in the words of the command line, and has none of the library's`(
        error: ImageLoadError, message: String
    ) {
        expectEqual(Advice.message(for: error), message)
    }

    @Test func `no summary of the library has the name of a property`() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources")
        let name = #/`\w+`|\bImage(Limits|Coders)\.\w+/#
        var count = 0
        for folder in ["HTTPTransport", "HTTPLoaders", "ImageCoding", "WebImage"] {
            let files = FileManager.default.enumerator(
                at: sources.appending(path: folder), includingPropertiesForKeys: nil)
            for case let file as URL in try required(files) where file.pathExtension == "swift" {
                let source = try String(contentsOf: file, encoding: .utf8)
                // From each `message:` to the `advice:` behind it, or the end of the call.
                for match in source.matches(of: #/message:\s*"(?<text>[^"]*)"/#) {
                    // Hooks and parts are no concern of a command that has none.
                    guard !match.text.contains("has thrown"), !match.text.contains("hook") else { continue }
                    count += 1
                    expectNil(match.text.firstMatch(of: name), "\(file.lastPathComponent): \(match.text)")
                }
            }
        }
        expect(count, >, 50)
    }
}
