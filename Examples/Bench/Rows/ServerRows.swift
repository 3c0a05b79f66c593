// SPDX-License-Identifier: MIT
import CBenchBaselines
import Foundation
import HTTPTransport

extension Family {
    /// What a picture in memory costs the server, beside nginx with the same file.
    static let serverHit = Family(
        name: "server-hit", summary: "image-server: a signed picture in memory over HTTP, against nginx with the file",
        isOnRequest: true
    ) { effort, show in
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let file = try Photograph.small()
        try Data(file).write(to: URL(filePath: folder.path("picture.jpg")))
        guard let nginx = try ServerProcess.nginx(serving: folder) else {
            throw Failure("skipped: nginx is not installed")
        }
        defer { nginx.stop() }
        let server = try ServerProcess.imageServer()
        defer { server.stop() }
        let address = try ServerProcess.address("original", of: "http://127.0.0.1:\(nginx.port)/picture.jpg")
        for connections in [1, 64, 512] {
            let count = effort.batch < 0.1 ? 4_000 : 20_000
            let figures = try costs(
                [(server, address), (nginx, "/picture.jpg")], connections: connections, count: count,
                rounds: effort.repeats)
            show(
                Row(
                    "server-hit-\(connections)", figures[0], against: "nginx", figures[1], by: .cpu, atMost: 1.5,
                    note: "\(file.count / 1_000) KB"))
        }
    }

    /// What a picture costs that is not there yet.
    static let serverPictures = Family(
        name: "server-pictures",
        summary: "image-server: a JPEG of 2000×1333 to 500 pixels, over HTTP, against vipsthumbnail with 20 files",
        isOnRequest: true
    ) { effort, show in
        let file = try Photograph.ofServers()
        let origin = try Origin(["/": file])
        defer { origin.stop() }
        let source = try origin.url("/picture.jpg").absoluteString
        for (format, suffix) in [("jpeg", ".jpg"), ("webp", ".webp")] {
            let server = try ServerProcess.imageServer()
            defer { server.stop() }
            let client = HTTPClient(configuration: .onLoopback)
            var ours: [Double] = []
            var size = 0
            // Another width each time, with 500 in the middle.
            for width in (500 - effort.repeats)...(500 + effort.repeats) {
                let address = try ServerProcess.address("w\(width),\(format),q80", of: source)
                let url = URL(string: "http://127.0.0.1:\(server.port)\(address)")!
                let start = server.processorTime
                let answer = try await client.send(HTTPRequest(url: url)).collected(upTo: 10_000_000)
                guard answer.status == 200 else { throw Failure("image-server answers \(answer.status)") }
                ours.append(server.processorTime - start)
                if width == 500 { size = answer.bytes.count }
            }
            await client.shutdown()
            let own = median(Array(ours.dropFirst(2)))
            guard let rival = try OtherProgram.vipsthumbnail(file, copies: 20, side: 500, suffix: suffix) else {
                throw Failure("vipsthumbnail is not installed; image-server takes \(Report.time(own)) for \(format)")
            }
            defer { rival.remove() }
            let theirs = try rival.processorTime(repeats: effort.repeats / 2) / 20
            let sizes = "\(size / 1_000) KB against \(try rival.resultByteCount("result-source0\(suffix)") / 1_000)"
            show(
                Row(
                    "server-\(format)-500", own, against: "vipsthumbnail", theirs, by: .cpu,
                    atMost: format == "jpeg" ? 0.6 : 0.7,
                    note: "\(Int(1 / own)) against \(Int(1 / theirs)) pictures a second, \(sizes)"))
        }
    }
}

extension HTTPClient.Configuration {
    fileprivate static var onLoopback: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.addressPolicy = .unrestricted
        return configuration
    }
}

/// The processor time of a request at each server, which take turns. The medians of the rounds.
private func costs(
    _ servers: [(server: ServerProcess, target: String)], connections: Int, count: Int, rounds: Int
) throws -> [Double] {
    var costs = [[Double]](repeating: [], count: servers.count)
    for round in 0...rounds {
        for (index, (server, target)) in servers.enumerated() {
            guard let hammer = unsafe bench_hammer_make(Int32(server.port), target, Int32(connections)) else {
                throw Failure("no \(connections) connections to port \(server.port)")
            }
            defer { unsafe bench_hammer_free(hammer) }
            let start = server.processorTime
            guard unsafe bench_hammer_run(hammer, count) == 0 else { throw Failure("a request was not answered") }
            // The first round warms up.
            if round > 0 { costs[index].append((server.processorTime - start) / Double(count)) }
        }
    }
    return costs.map { median($0) }
}
