// SPDX-License-Identifier: MIT
import HTTPTransport
import Synchronization
import Testing
import WebImageTesting

/// An origin that keeps the event loop busy without a byte of progress.
@Suite(.timeLimit(.minutes(1)))
struct FloodTests {
    @Test(arguments: HTTP2Flood.Frame.allCases)
    func `a flood of frames neither outlasts the total limit nor stops others`(_ frame: HTTP2Flood.Frame) async throws {
        let certificate = try TestCertificate.make()
        let flood = try HTTP2Flood.start(tls: certificate, frame: frame)
        defer { flood.stop() }
        var configuration = HTTPClient.Configuration.loopback
        configuration.tls = .authorities(in: certificate.rootPath)
        configuration.totalTimeout = .seconds(1)
        let client = HTTPClient(configuration: configuration)
        let silent = try OriginServer.byHand { $0.waitForClose() }
        defer { silent.stop() }
        // The clock is another client, whose limit is eight times as long.
        configuration.totalTimeout = .seconds(8)
        let patient = HTTPClient(configuration: configuration)
        let clock = Task { _ = try await patient.send(HTTPRequest(url: silent.url("/"))) }
        let ended = Gate()
        let hasEnded = Mutex(false)
        Task {
            _ = await clock.result
            hasEnded.withLock { $0 = true }
            ended.open()
        }
        let error = await #expect(throws: HTTPError.self) {
            _ = try await client.send(HTTPRequest(url: flood.url)).body.collect(upTo: 1_000)
        }
        #expect(error?.code == .timedOut || error?.code == .connectionLost)
        #expect(!hasEnded.withLock { $0 })
        clock.cancel()
        await ended.pass()
        await client.shutdown()
        await patient.shutdown()
    }

    @Test(arguments: [(HTTPPriority.veryLow, 1 as Int?), (.low, 8), (.normal, nil), (.high, 64), (.veryHigh, 256)])
    func `the priority of a request is the weight of its stream`(_ priority: HTTPPriority, _ weight: Int?) async throws
    {
        let certificate = try TestCertificate.make()
        let flood = try HTTP2Flood.start(tls: certificate, frame: .windowUpdate)
        defer { flood.stop() }
        var configuration = HTTPClient.Configuration.loopback
        configuration.tls = .authorities(in: certificate.rootPath)
        let client = HTTPClient(configuration: configuration)
        var request = HTTPRequest(url: flood.url)
        request.options.priority = priority
        let response = try await client.send(request)
        #expect(response.status == 200)
        #expect(flood.requestWeights == [weight])
        await client.shutdown()
    }
}
