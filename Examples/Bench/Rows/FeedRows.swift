// SPDX-License-Identifier: MIT
import CBenchBaselines
import Foundation
import HTTPTransport
import ImageCoding
import Locks
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
        show(Row("feed-200, no disk", figures[0], against: figures[1], by: .cpu, atMost: 1.2))
    }

    /// What many clients of a server see: the answers of a burst come one by one, and not all with the last.
    static let burst = Family(
        name: "burst",
        summary: "when the median answer comes of 100 different pictures at once, as files of 500 pixels (30 with"
            + " --quick), against the last answer; with originals that are there, and over HTTP"
    ) { effort, show in
        let (count, rounds) = effort.repeats == Effort.quick.repeats ? (30, 1) : (100, 3)
        let large = try Photograph.twelveMegapixels()
        let mixed = [large, try Photograph.twoMegapixels(), try Photograph.ofServers()]
        let kinds = [
            ("jpeg", EncodedFormat.jpeg(), [large, large, large]), ("webp", .webp(), [large, large, large]),
            ("mixed", .jpeg(), mixed),
        ]
        for (name, format, files) in kinds {
            for overHTTP in [false, true] {
                let origin = try Origin(["/0": files[0], "/1": files[1], "/2": files[2]])
                defer { origin.stop() }
                let requests = try (0..<count).map { number in
                    ImageRequest(
                        try origin.url("/\(number % 3)/\(number)"),
                        transformers: [.resize(to: PixelSize(width: 500, height: 500))])
                }
                var answers: [[Double]] = []
                for _ in 0..<rounds {
                    let manager =
                        overHTTP
                        ? ImageManager(configuration: .with(nil))
                        : ImageManager(configuration: .with(nil), transport: ReadyFiles(files: files))
                    answers.append(try await manager.answers(requests, as: .encoded(format)))
                    _ = await manager.shutdown(within: .seconds(1))
                }
                func share(_ place: Double) -> Double { median(answers.map { quantile($0, place) / $0[count - 1] }) }
                let shares = [0, 0.9].map { Report.decimal(share($0), 2) }
                show(
                    Row(
                        "burst-\(count)/\(name)\(overHTTP ? ", HTTP" : "")", median(answers.map { quantile($0, 0.5) }),
                        against: "the last answer", median(answers.map { $0[count - 1] }), ratio: share(0.5),
                        atMost: overHTTP ? 0.65 : 0.6, note: "the first at \(shares[0]), p90 at \(shares[1])"))
            }
        }
    }
}

extension ImageManager {
    /// When the answers come to requests that are made at once, in seconds, the first one first.
    fileprivate func answers(_ requests: [ImageRequest], as format: OutputFormat) async throws -> [Double] {
        let ends = Mutex<[Double]>([])
        let start = bench_wall_seconds()
        try await atOnce(requests.count) { number in
            blackHole(try await self.encodedImage(for: requests[number], as: format))
            let end = bench_wall_seconds() - start
            ends.withLock { $0.append(end) }
        }
        return ends.withLock { $0 }.sorted()
    }
}

/// Answers at once: each address has one of three files, with a comment that makes it another file.
private struct ReadyFiles: HTTPLoading {
    let files: [[UInt8]]

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let number = Int(request.url.lastPathComponent) ?? 0
        let start: [UInt8] = [0xFF, 0xD8, 0xFF, 0xFE, 0, 4, UInt8(number / 256), UInt8(number % 256)]
        return HTTPResponse(
            status: 200, headers: ["Content-Type": "image/jpeg"], url: request.url,
            body: HTTPBody([start, Array(files[number % 3].dropFirst(2))]))
    }

    func shutdown() async {}
}
