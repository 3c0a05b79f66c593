// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport

extension Family {
    /// Whether a second event loop pays: the same downloads over one client, and over two with half of the tasks each.
    static let shards = Family(
        name: "shards", summary: "20 KB over HTTP/1.1, 64 at once, over two event loops against one", isOnRequest: true
    ) { effort, show in
        let file = Noise.bytes(20_000)
        let origins = [try Origin(["/": file]), try Origin(["/": file])]
        defer { origins.forEach { $0.stop() } }
        let urls = try origins.map { try $0.url("/picture.jpeg") }
        var configuration = HTTPClient.Configuration()
        configuration.addressPolicy = .unrestricted
        configuration.maximumConnectionsPerHost = 32
        let clients = [HTTPClient(configuration: configuration), HTTPClient(configuration: configuration)]
        let figures = try await measure(
            effort,
            Contender("two event loops") { count in
                try await load(count, urls, clients, size: file.count)
            },
            Contender("one event loop") { count in
                try await load(count, urls, [clients[0], clients[0]], size: file.count)
            })
        let work = (Report.time(figures[0].cpu), Report.time(figures[1].cpu))
        show(
            Row(
                "shards/two-loops", figures[0], against: figures[1], atMost: 1.1,
                note: "processor time \(work.0) against \(work.1)"))
        for client in clients { await client.shutdown() }
    }
}

/// Half of the downloads from each origin, each half by its client.
private func load(_ count: Int, _ urls: [URL], _ clients: [HTTPClient], size: Int) async throws {
    try await withThrowingTaskGroup { group in
        for (url, client) in zip(urls, clients) {
            group.addTask {
                try await inParallel(32, count: max(1, count / 2)) {
                    let response = try await client.send(HTTPRequest(url: url))
                    try check(try await response.body.collect(upTo: size).count == size)
                }
            }
        }
        try await group.waitForAll()
    }
}
