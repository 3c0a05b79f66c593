// SPDX-License-Identifier: MIT
import HTTPTransport
import ImageCoding
import WebImage

extension Family {
    static let variants = Family(
        name: "variants",
        summary: "ten sizes of one JPEG of 12 megapixels at once, against one decode and ten resizes by hand"
    ) { effort, show in
        let file = try Photograph.twelveMegapixels()
        let sides = (1...10).map { $0 * 100 }
        let requests = try sides.map { try ImageRequest.one(resizedTo: $0) }
        let coders = ImageCoders.default
        let figures = try await measure(
            effort,
            Contender("ImageManager") { count in try await loadAtOnce(requests, of: file, count) },
            Contender("by hand") { count in
                for _ in 0..<count {
                    let largest = try coders.decode(
                        file, options: DecodeOptions(thumbnail: .resize(to: PixelSize(width: 1_000, height: 1_000))))
                    for side in sides {
                        let resize: any ImageTransforming = .resize(to: PixelSize(width: side, height: side))
                        blackHole(try resize.transform(largest))
                    }
                }
            })
        show(Row("ten-variants, no disk", figures[0], against: figures[1], by: .cpu))
    }

    static let prefix = Family(
        name: "prefix",
        summary: "[A], [A, B] and [A, C] of one JPEG of 12 megapixels at once, against A, B and C once by hand"
    ) { effort, show in
        let file = try Photograph.twelveMegapixels()
        let crop: any ImageTransforming = .crop(to: PixelRect(x: 0, y: 0, width: 2_000, height: 2_000))
        let (small, large): (any ImageTransforming, any ImageTransforming) = (
            .resize(to: PixelSize(width: 200, height: 200)), .resize(to: PixelSize(width: 800, height: 800))
        )
        let requests = try [[crop], [crop, small], [crop, large]].map { list in
            var request = try ImageRequest.numbered(1)[0]
            request.transformers = list
            return request
        }
        let coders = ImageCoders.default
        let figures = try await measure(
            effort,
            Contender("ImageManager") { count in try await loadAtOnce(requests, of: file, count) },
            Contender("by hand") { count in
                for _ in 0..<count {
                    let cropped = try crop.transform(coders.decode(file, options: DecodeOptions()))
                    blackHole(try small.transform(cropped))
                    blackHole(try large.transform(cropped))
                }
            })
        show(Row("transformer-prefix, no disk", figures[0], against: figures[1], by: .cpu))
    }
}

/// Loads all requests of one address at once, from a new manager each time.
private func loadAtOnce(_ requests: [ImageRequest], of file: [UInt8], _ count: Int) async throws {
    var configuration = ImageManager.Configuration()
    configuration.disk = nil
    for _ in 0..<count {
        let manager = ImageManager(configuration: configuration, transport: WarmTransport(body: file))
        try await atOnce(requests.count) { blackHole(try await manager.image(for: requests[$0])) }
        _ = await manager.shutdown(within: .seconds(1))
    }
}

extension ImageRequest {
    fileprivate static func one(resizedTo side: Int) throws -> ImageRequest {
        var request = try numbered(1)[0]
        request.transformers = [.resize(to: PixelSize(width: side, height: side))]
        return request
    }
}
