// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImage
import WebImageTesting

/// Pictures as values of responses, without a manager.
@Suite(.timeLimit(.minutes(1))) struct ImageResponseTests {
    private static let file = ImageFactory.bitmapFile(width: 21, height: 17, seed: 1)

    private func load(
        _ bytes: [UInt8], type: String = "image/bmp", as decoder: ResponseDecoder<DecodedImage> = .image()
    ) async throws -> DecodedImage {
        let client = StubLoader { _, _ in .ok(bytes, type: type) }
        let url = try required(URL(string: "http://a.example/picture"))
        return try await client.value(for: HTTPRequest(url: url), as: decoder)
    }

    @Test
    func `a response becomes a picture within the limits of the decode, or an error with the response`() async throws {
        do {
            let picture = try await load(Self.file)
            expectEqual(PixelSize(width: picture.width, height: picture.height), PixelSize(width: 21, height: 17))
            let box = DecodeOptions(thumbnail: .resize(to: PixelSize(width: 7, height: 7)))
            try await expectEqual(load(Self.file, as: .image(box)).width, 7)
            var options = DecodeOptions()
            options.limits.maximumPixelCount = 21 * 17 - 1
            let error = await expectError(HTTPError.self) { try await load(Self.file, as: .image(options)) }
            expectEqual(error?.code, .undecodableBody)
            expectEqual((error?.cause as? ImageError)?.code, .tooLarge)
        }

        // What is no picture is an error with the response.
        let page = await expectError(HTTPError.self) { try await load(Self.file, type: "text/html") }
        expectEqual(page?.code, .unacceptableContentType)
        expectEqual(page?.response?.beginning, Self.file)
        let text = await expectError(HTTPError.self) { try await load(Array("picture".utf8)) }
        expectEqual(text?.code, .undecodableBody)
        expectEqual((text?.cause as? ImageError)?.code, .unknownFormat)
    }

    @Test func `a picture or a text, whichever the response is`() async throws {
        let decoder = ResponseDecoder<String>.first(of: [
            ResponseDecoder<DecodedImage>.image().map { "\($0.width)" }, ResponseDecoder<String>.text,
        ])
        for (type, body, expected) in [("image/bmp", Self.file, "21"), ("text/plain", Array("none".utf8), "none")] {
            let client = StubLoader { _, _ in .ok(body, type: type) }
            let url = try required(URL(string: "http://a.example/"))
            try await expectEqual(client.value(for: HTTPRequest(url: url), as: decoder), expected)
        }
    }
}
