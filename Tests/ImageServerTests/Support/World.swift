// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import WebImageTesting

@testable import ImageServer

/// A server in this process, an origin with a picture, and a client.
struct World: Sendable {
    let origin: OriginServer
    let server: RunningServer
    private let client: HTTPClient

    /// Runs `body` with a server that serves unsigned addresses of the origin.
    static func run(
        _ change: @Sendable (inout Settings) -> Void = { _ in }, _ body: (World) async throws -> Void
    ) async throws {
        let origin = try OriginServer.start()
        defer { origin.stop() }
        origin.respond(to: "/a.png", with: .ok(try Pictures.file(), type: "image/png"))
        var settings = Settings()
        (settings.port, settings.metricsPort, settings.writesLog) = (0, 0, false)
        (settings.allowsUnsigned, settings.allowedHosts) = (true, ["127.0.0.1"])
        settings.allowedNetworks = [IPNetwork("127.0.0.1/32")!]
        change(&settings)
        var configuration = HTTPClient.Configuration()
        configuration.addressPolicy = .unrestricted
        (configuration.maximumRedirects, configuration.maximumConnectionsPerHost) = (0, 100)
        let client = HTTPClient(configuration: configuration)
        let world = World(origin: origin, server: try await RunningServer.start(settings), client: client)
        do {
            try await body(world)
            await world.end()
        } catch {
            await world.end()
            throw error
        }
    }

    private func end() async {
        await client.shutdown()
        _ = await server.drain()
    }

    /// Another service on the loader of the server, with a clock of the test.
    func service(_ freshness: FreshnessRule, now: @escaping @Sendable () -> Date) -> ImageService {
        ImageService(
            loader: server.manager, reader: AddressReader(allowsUnsigned: true), freshness: freshness, now: now)
    }

    /// The path of a picture at the server.
    func path(_ options: String = "w16", of source: String = "/a.png") -> String {
        "/\(options)/unsigned/plain/\(origin.url(source).absoluteString)"
    }

    func get(
        _ path: String, _ headers: HTTPHeaders = [:], method: String = "GET", port: UInt16? = nil
    ) async throws -> CollectedResponse {
        let url = URL(string: "http://127.0.0.1:\(port ?? server.port)\(path)")!
        let response = try await client.send(HTTPRequest(url: url, method: method, headers: headers))
        return try await response.collected(upTo: 10_000_000)
    }
}

/// Files of pictures.
enum Pictures {
    static func file(
        seed: Int = 1, width: Int = 64, height: Int = 48, as format: EncodedFormat = .png
    ) throws -> [UInt8] {
        try ImageFactory.encoded(width: width, height: height, seed: seed, as: format)
    }
}

/// A problem document.
struct Problem: Decodable, Equatable {
    let status: Int
    let code: String
    let detail: String

    init(_ response: CollectedResponse) throws {
        self = try JSONDecoder().decode(Problem.self, from: Data(response.bytes))
    }
}
