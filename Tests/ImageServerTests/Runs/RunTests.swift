// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import Testing
import WebImageTesting

@testable import ImageServer

/// The built command as a process.
@Suite(.timeLimit(.minutes(10)))
struct RunTests {
    @Test func `a signal lets the running request finish and ends the program in order`() async throws {
        try await withOriginServer { origin in
            let gate = OriginGate()
            origin.respond(to: "/a.png", with: .ok(try Pictures.file(), type: "image/png").held(at: gate))
            let command = try RunningCommand([
                "--port=0", "--metrics-port=0", "--unsigned", "--allow-host=127.0.0.1", "--allow-network=127.0.0.1/32",
                "--log-loads",
            ])
            let line = try #require(await command.errors(until: "listening on"))
            let port = try #require(line.split(separator: ":").last.flatMap { UInt16($0) })
            let client = try RawClient(port: port)
            await client.send(
                "GET /w8/unsigned/plain/\(origin.url("/a.png").absoluteString) HTTP/1.1\r\nHost: a\r\n"
                    + "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n\r\n")
            await gate.waitUntilReached()
            command.send(SIGTERM)
            #expect(await command.errors(until: "draining") != nil)
            gate.open()
            #expect(await client.receive().hasPrefix("HTTP/1.1 200 "))
            #expect(await command.errors(until: "every request was answered") != nil)
            #expect(await command.status() == 0)
            #expect(command.output.contains("\"status\":200"))
            #expect(command.output.contains("\"trace\":\"0af7651916cd43dd8448eb211c80319c\""))
            // The steps of its load have its id.
            let lines = command.output.split(separator: "\n").map { String($0) }
            let last = lines.first { $0.contains("\"status\":200") }
            let id = try #require(last?.firstMatch(of: /"id":"[0-9a-f]{16}"/)?.0)
            let steps = lines.filter { $0.contains("\"step\":") }
            #expect(["queued", "started", "firstByte", "decoded"].allSatisfy { steps.joined().contains("\"\($0)\"") })
            #expect(steps.allSatisfy { $0.contains(id) })
        }
    }

    @Test func `a wrong setting ends the program at the start`() async throws {
        let command = try RunningCommand(["--unsigned"])
        #expect(await command.errors(until: "--any-host") != nil)
        #expect(await command.status() == 2)
    }

    @Test func `an address is signed`() async throws {
        let key = String(repeating: "01", count: 32)
        let command = try RunningCommand(["sign", "--key", key, "w10", "http://example.com/a.png"])
        #expect(await command.status() == 0)
        let reader = AddressReader(keys: [SigningKey(hexadecimal: key)!])
        let address = try reader.read(command.output.trimmingCharacters(in: .whitespacesAndNewlines))
        #expect(address.source.absoluteString == "http://example.com/a.png")
    }

    @Test func `without an argument three addresses of generated pictures are served`() async throws {
        let command = try RunningCommand(["--port=0", "--metrics-port=0"])
        var addresses: [URL] = []
        while addresses.count < 3, let line = await command.errors(until: "  http://") {
            addresses.append(try #require(URL(string: line.trimmingCharacters(in: .whitespaces))))
        }
        var configuration = HTTPClient.Configuration()
        configuration.addressPolicy = .unrestricted
        let client = HTTPClient(configuration: configuration)
        for address in addresses {
            let answer = try await client.send(HTTPRequest(url: address)).collected(upTo: 10_000_000)
            #expect(answer.status == 200)
            #expect(answer.headers["Content-Type"]?.hasPrefix("image/") == true)
        }
        await client.shutdown()
        command.send(SIGTERM)
        #expect(await command.status() == 0)
    }
}
