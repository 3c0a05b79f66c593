// SPDX-License-Identifier: MIT
import HTTPTransport
import WebImage

extension Family {
    static let distinctDownloads = Family(
        name: "distinct-downloads",
        summary: "5,000 different downloads at once from a warm stub, against the stub alone"
    ) { effort, show in
        let file = try Photograph.tiny()
        let transport = WarmTransport(body: file)
        let downloader = ImageDownloader(transport: transport)
        let requests = try ImageRequest.numbered(5_000)
        let figures = try await measure(
            effort,
            Contender("ImageDownloader", count: requests.count) { count in
                try await atOnce(count) { blackHole(try await downloader.download(requests[$0])) }
            },
            Contender("the transport alone", count: requests.count) { count in
                try await atOnce(count) { number in
                    let response = try await transport.send(HTTPRequest(url: requests[number].url))
                    blackHole(try await response.body.collect(upTo: file.count))
                }
            })
        let overhead = Report.time(figures[0].cpu - figures[1].cpu)
        show(
            Row(
                "distinct-downloads", figures[0], against: figures[1], by: .cpu, atMost: 3.5,
                note: "overhead \(overhead) each"))
        await downloader.shutdown()
    }

    static let startAndCancel = Family(
        name: "start-cancel-downloads",
        summary: "a download that waits for its answer is cancelled, start and unwinding included"
    ) { effort, show in
        let requests = try ImageRequest.numbered(1_000)
        var configuration = ImageDownloader.Configuration()
        configuration.maximumConcurrentDownloads = requests.count
        let figures = try await measure(
            effort,
            Contender("ImageDownloader", count: requests.count) { [configuration] count in
                let transport = SilentTransport(expecting: count)
                let downloader = ImageDownloader(configuration: configuration, transport: transport)
                try await cancelWhenStarted(count, on: transport) { try await downloader.download(requests[$0]) }
            },
            Contender("the transport alone", count: requests.count) { count in
                let transport = SilentTransport(expecting: count)
                try await cancelWhenStarted(count, on: transport) { number in
                    try await transport.send(HTTPRequest(url: requests[number].url))
                }
            })
        show(Row("start-cancel-downloads", figures[0], against: figures[1], by: .cpu, atMost: 5))
    }
}
