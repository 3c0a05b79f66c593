// SPDX-License-Identifier: MIT
import ImageCoding
import WebImage

extension Family {
    /// What a reader of feeds does: every picture once, as a thumbnail.
    static let feed = Family(
        name: "feed", summary: "200 JPEGs of 2 megapixels as thumbnails, against decoding them by hand"
    ) { effort, show in
        let file = try Photograph.twoMegapixels()
        let resize: any ImageTransforming = .resize(to: PixelSize(width: 320, height: 320))
        let requests = try ImageRequest.numbered(200).map { request in
            var request = request
            request.transformers = [resize]
            return request
        }
        let figures = try await measure(
            effort,
            Contender("ImageManager", count: 1) { _ in
                var configuration = ImageManager.Configuration()
                configuration.disk = nil
                let manager = ImageManager(configuration: configuration, transport: WarmTransport(body: file))
                for await outcome in manager.images(for: requests) { blackHole(try outcome.result.get()) }
                _ = await manager.shutdown(within: .seconds(1))
            },
            Contender("by hand", count: 1) { _ in
                let options = DecodeOptions(thumbnail: .resize(to: PixelSize(width: 320, height: 320)))
                for _ in requests { blackHole(try ImageCoders.default.decode(file, options: options)) }
            })
        show(Row("feed-200, no disk", figures[0], against: figures[1], by: .cpu))
    }
}
