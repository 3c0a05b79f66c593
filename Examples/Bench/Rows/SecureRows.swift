// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport

extension Family {
    /// Small files from nginx over TLS, over HTTP/1.1 or over one connection with HTTP/2: the processor time against C.
    static func secureDownload(overHTTP2 usesHTTP2: Bool) -> Family {
        let name = usesHTTP2 ? "download-http2" : "download-tls"
        let version = usesHTTP2 ? "HTTP/2" : "HTTP/1.1"
        return Family(
            name: name, summary: "20 KB over \(version) and TLS from nginx, 64 at once, against plain libcurl"
        ) { effort, show in
            try await withSecureOrigin { origin, file in
                let figures = try await measureSecure(effort, origin, .kept, size: file.count, usesHTTP2: usesHTTP2)
                let ceiling = usesHTTP2 ? 1.9 : 1.6
                show(Row("\(name)/libcurl", figures[0], against: figures[1], by: .cpu, atMost: ceiling))
            }
        }
    }

    /// A connection for each small file: full handshakes with a verified chain, and resumed ones.
    static let secureConnections = Family(
        name: "connect-tls",
        summary: "a new TLS connection for 20 KB, verified or resumed, 6 at once, against plain libcurl"
    ) { effort, show in
        try await withSecureOrigin { origin, file in
            let new = try await measureSecure(effort, origin, .new, size: file.count, concurrency: 6)
            show(Row("connect-tls/new", new[0], against: new[1], by: .cpu, atMost: 1.4))
            let resumed = try await measureSecure(effort, origin, .resumed, size: file.count, concurrency: 6)
            let shares = (0..<2).map { Report.decimal(resumed[$0].cpu / new[$0].cpu, 2) }
            let note = "\(shares[0]) of a new one, in C \(shares[1])"
            show(Row("connect-tls/resumed", resumed[0], against: resumed[1], by: .cpu, atMost: 1.7, note: note))
        }
    }
}

private func withSecureOrigin(_ body: (SecureOrigin, [UInt8]) async throws -> Void) async throws {
    guard SecureOrigin.isInstalled else {
        return FileHandle.standardError.write(Data("bench: nginx is not installed; its rows are left out\n".utf8))
    }
    let file = Noise.bytes(20_000)
    let origin = try SecureOrigin(file)
    defer { origin.stop() }
    try await body(origin, file)
}

/// The client, and libcurl in C, at a port of nginx.
private func measureSecure(
    _ effort: Effort, _ origin: SecureOrigin, _ port: SecureOrigin.Port, size: Int, concurrency: Int = 64,
    usesHTTP2: Bool = false
) async throws -> [Figure] {
    let url = try origin.url(port)
    var configuration = HTTPClient.Configuration()
    configuration.addressPolicy = .unrestricted
    configuration.maximumConnectionsPerHost = concurrency
    configuration.tls = .authorities(in: origin.authority)
    configuration.allowsHTTP2 = usesHTTP2
    let client = HTTPClient(configuration: configuration)
    let plain = try PlainDownloads(
        url, concurrency: concurrency, authority: origin.authority, usesHTTP2: usesHTTP2)
    let figures = try await measure(
        effort,
        Contender("HTTPClient") { count in
            try await inParallel(concurrency, count: count) {
                let response = try await client.send(HTTPRequest(url: url))
                try check(try await response.body.collect(upTo: size).count == size)
            }
        },
        Contender("libcurl in C") { count in try plain.run(count, size: size) })
    await client.shutdown()
    return figures
}
