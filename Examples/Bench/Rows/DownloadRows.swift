// SPDX-License-Identifier: MIT
import CBenchBaselines
import Foundation
import HTTPTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Family {
    /// Small files over warm connections, with `concurrency` transfers at once: the processor time of each against C,
    /// and the real time against `URLSession`.
    ///
    /// `URLSession` is timed apart, because its threads work on after a timing.
    static func download(concurrency: Int) -> Family {
        let name = "download-\(concurrency)"
        return Family(
            name: name, summary: "20 KB over HTTP/1.1, \(concurrency) at once, against plain libcurl and URLSession"
        ) { effort, show in
            let file = Noise.bytes(20_000)
            let origin = try Origin(["/": file])
            defer { origin.stop() }
            let url = try origin.url("/picture.jpeg")
            var configuration = HTTPClient.Configuration()
            configuration.addressPolicy = .unrestricted
            configuration.maximumConnectionsPerHost = concurrency
            let client = HTTPClient(configuration: configuration)
            let plain = try PlainDownloads(url, concurrency: concurrency)
            let ours = Contender("HTTPClient") { count in
                try await inParallel(concurrency, count: count) {
                    let response = try await client.send(HTTPRequest(url: url))
                    try check(try await response.body.collect(upTo: file.count).count == file.count)
                }
            }
            let inC = try await measure(
                effort, ours, Contender("libcurl in C") { count in try plain.run(count, size: file.count) })
            let wall = (Report.time(inC[0].wall), Report.time(inC[1].wall))
            show(
                Row(
                    "\(name)/libcurl", inC[0], against: inC[1], by: .cpu, atMost: concurrency < 64 ? 2.7 : 1.9,
                    note: "in real time \(wall.0) against \(wall.1)"))
            let session = sessionContender(url, concurrency: concurrency, size: file.count)
            let figures = try await measure(effort, ours, session)
            show(Row("\(name)/URLSession", figures[0], against: figures[1], atMost: 0.7))
            await client.shutdown()
        }
    }
}

/// Throws when a download has not its length.
func check(_ isComplete: Bool) throws {
    guard isComplete else { throw Failure("a download was cut short") }
}

/// Plain requests only, none cancelled: a cancelled one can stop every session of the process.
private func sessionContender(_ url: URL, concurrency: Int, size: Int) -> Contender {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpMaximumConnectionsPerHost = max(6, concurrency)
    let session = URLSession(configuration: configuration)
    return Contender("URLSession") { count in
        try await inParallel(concurrency, count: count) {
            try check(try await session.data(from: url).0.count == size)
        }
    }
}
