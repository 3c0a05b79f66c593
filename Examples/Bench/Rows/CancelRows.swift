// SPDX-License-Identifier: MIT
import CBenchBaselines
import Foundation
import HTTPTransport
import ImageCoding
import WebImageTesting

extension Family {
    static let cancel = Family(
        name: "cancelled-job",
        summary: "how long a job on 12 megapixels keeps its thread after its task is cancelled at a random moment,"
            + " against the whole job; only when it is named, for it takes minutes",
        isOnRequest: true
    ) { effort, show in
        // 30 moments a job, 120 without --quick.
        let moments = effort.repeats == Effort.quick.repeats ? 30 : 120
        for job in try CancelledJob.all() {
            let whole = try await job.wholeTime()
            var delays: [CancelledJob.Time] = []
            var noise = Noise(seed: 7)
            for _ in 0..<moments {
                let share = Double(noise.next() % 960 + 20) / 1_000
                if let delay = try await job.delay(cancelledAfter: share * whole.wall) { delays.append(delay) }
            }
            guard !delays.isEmpty else { throw Failure("\(job.name) ended before each moment") }
            func milliseconds(_ seconds: Double?) -> String { String(format: "%.1f ms", (seconds ?? 0) * 1_000) }
            let (cpu, wall) = (delays.map(\.cpu).max(), delays.map(\.wall).max())
            show(
                Row(
                    "cancelled-\(job.name)", median(delays.map(\.cpu)), against: "the whole job", whole.cpu, by: .cpu,
                    atMost: 0.1,
                    note: "longest of \(delays.count): \(milliseconds(cpu)), \(milliseconds(wall)) on the clock"))
        }
    }
}

extension Family {
    /// From the cancellation of a download to the end of its connection, as the origin sees it.
    static let cancelledConnection = Family(
        name: "cancel-close",
        summary: "from cancelling a download until its origin sees the connection close, against 50 ms"
    ) { effort, show in
        let (closes, report) = AsyncStream.makeStream(of: Double.self)
        let origin = try OriginServer.start()
        defer { origin.stop() }
        origin.respondToEverything { _ in
            .byHand { wire in
                wire.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n1")
                wire.waitForClose()
                report.yield(bench_wall_seconds())
            }
        }
        var configuration = HTTPClient.Configuration()
        configuration.addressPolicy = .unrestricted
        let client = HTTPClient(configuration: configuration)
        let request = HTTPRequest(url: origin.url("/"))
        var closed = closes.makeAsyncIterator()
        var delays: [Double] = []
        for _ in 0..<(effort.repeats * 20) {
            let body = try await client.send(request).body
            // Unstructured because the measurement cancels it; it is awaited here.
            let reader = Task.detached { try? await body.collect(upTo: 2) }
            let start = bench_wall_seconds()
            reader.cancel()
            guard let end = await closed.next() else { break }
            delays.append(end - start)
            _ = await reader.value
        }
        await client.shutdown()
        show(
            Row(
                "cancel-close", median(delays), against: "50 ms", 0.05, atMost: 1,
                note: "longest of \(delays.count): \(Report.time(delays.max() ?? 0))"))
    }
}

/// A decode, resize or encode that a cancelled task ends.
private struct CancelledJob {
    /// Seconds.
    struct Time {
        let cpu: Double
        let wall: Double

        static var now: Time { Time(cpu: bench_cpu_seconds(), wall: bench_wall_seconds()) }

        func since(_ start: Time) -> Time { Time(cpu: cpu - start.cpu, wall: wall - start.wall) }
    }

    let name: String
    private let run: @Sendable () throws -> Void

    func wholeTime() async throws -> Time {
        try run()
        let start = Time.now
        try run()
        return Time.now.since(start)
    }

    /// - Returns: From the call that cancels to the end of the job; `nil` when the job ended before.
    func delay(cancelledAfter seconds: Double) async throws -> Time? {
        // Unstructured because the measurement cancels it; it is awaited here.
        let task = Task.detached { [run] in
            do {
                try run()
                return Time?.none
            } catch is CancellationError {
                return Time.now
            }
        }
        try await Task.sleep(for: .seconds(seconds))
        let start = Time.now
        task.cancel()
        return try await task.value?.since(start)
    }

    static func all() throws -> [CancelledJob] {
        let coders = ImageCoders.default
        let picture = try Painting.opaque(width: 4_000, height: 3_000)
        let clear = try Painting.translucent(width: 4_000, height: 3_000)
        let plain = try DecodedImage(
            width: 4_000, height: 3_000,
            frames: [.init(pixels: [UInt8](repeating: 255, count: 48_000_000))], hasAlpha: false)
        let frames = (1...2).map { DecodedImage.Frame(pixels: picture.pixels, duration: .milliseconds(100 * $0)) }
        let animation = try DecodedImage(width: 4_000, height: 3_000, frames: frames, hasAlpha: false)
        func decoding(_ name: String, _ bytes: [UInt8]) -> CancelledJob {
            CancelledJob(name: "decode-\(name)") { blackHole(try ImageCoders.default.decode(bytes)) }
        }
        func encoding(_ name: String, _ image: DecodedImage, _ format: EncodedFormat) -> CancelledJob {
            CancelledJob(name: "encode-\(name)") { blackHole(try ImageCoders.default.encode(image, as: format)) }
        }
        let half = ResizeTransformer(size: PixelSize(width: 1_000, height: 750))
        return [
            decoding("jpeg", try Photograph.twelveMegapixels()),
            decoding("jpeg-progressive", try coders.encode(picture, as: .jpeg(isProgressive: true))),
            decoding("png", try coders.encode(picture, as: .png(level: 1))),
            decoding("png-interlaced", try Photograph.interlacedPNG()),
            decoding("gif", try coders.encode(picture, as: .gif)),
            decoding("webp", try coders.encode(picture, as: .webp(effort: 1))),
            decoding("webp-alpha", try coders.encode(clear, as: .webp(effort: 1))),
            decoding("webp-lossless", try coders.encode(picture, as: .losslessWebP)),
            decoding("webp-animated", try coders.encode(animation, as: .webp(effort: 0))),
            decoding("webp-plain", try coders.encode(plain, as: .webp())),
            decoding("webp-plain-lossless", try coders.encode(plain, as: .losslessWebP)),
            CancelledJob(name: "resize") { blackHole(try half.transform(picture)) },
            encoding("jpeg", clear, .jpeg()), encoding("jpeg-progressive", picture, .jpeg(isProgressive: true)),
            encoding("png", clear, .png), encoding("gif", picture, .gif), encoding("webp", picture, .webp()),
            encoding("webp-alpha", clear, .webp()), encoding("webp-lossless", picture, .losslessWebP),
        ]
    }
}
