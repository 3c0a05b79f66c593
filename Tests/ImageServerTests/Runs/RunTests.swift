// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import SignedAddresses
import TestSupport
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
                "--log-loads", "--drain-delay=0.1",
            ])
            let line = try required(await command.errors(until: "listening on"))
            let port = try required(line.split(separator: ":").last.flatMap { UInt16($0) })
            let client = try RawClient(port: port)
            await client.send(
                "GET /w8/unsigned/plain/\(origin.url("/a.png").absoluteString) HTTP/1.1\r\nHost: a\r\n"
                    + "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n\r\n")
            await gate.waitUntilReached()
            command.send(SIGTERM)
            await expect(command.errors(until: "not ready") != nil)
            await expect(command.errors(until: "draining") != nil)
            gate.open()
            await expect(client.receive().hasPrefix("HTTP/1.1 200 "))
            await expect(command.errors(until: "every request was answered") != nil)
            await expectEqual(command.status(), 0)
            expect(command.output.contains("\"status\":200"))
            expect(command.output.contains("\"trace\":\"0af7651916cd43dd8448eb211c80319c\""))
            expect(command.output.contains("\"peer\":\"127.0.0.1\",\"method\":\"GET\""))
            expect(command.output.contains("\"complete\":true,\"source\":\"network\",\"format\":\"png\""))
            // The steps of its load have its id.
            let lines = command.output.split(separator: "\n").map { String($0) }
            let last = lines.first { $0.contains("\"status\":200") }
            let id = try required(last?.firstMatch(of: /"id":"[0-9a-f]{16}"/)?.0)
            let steps = lines.filter { $0.contains("\"step\":") }
            expect(["queued", "started", "firstByte", "decoded"].allSatisfy { steps.joined().contains("\"\($0)\"") })
            expect(steps.allSatisfy { $0.contains(id) })
        }
    }

    @Test func `a hang-up reads keys and presets again and loses no request`() async throws {
        try await withOriginServer { origin in
            let folder = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let digits = ["01", "02"].map { String(repeating: $0, count: 32) }
            func write(_ keys: String, _ presets: String) throws {
                try Data(keys.utf8).write(to: folder.appending(path: "keys"))
                try Data(presets.utf8).write(to: folder.appending(path: "presets"))
            }
            try write("# ours\n\(digits[0])\n", "card=w8")
            let gate = OriginGate()
            origin.respond(to: "/held.png", with: .ok(try Pictures.file(), type: "image/png").held(at: gate))
            origin.respond(to: "/a.png", with: .ok(try Pictures.file(), type: "image/png"))
            let command = try RunningCommand([
                "--port=0", "--no-metrics", "--no-log", "--allow-network=127.0.0.1/32",
                "--key-file=\(folder.appending(path: "keys").path)",
                "--preset-file=\(folder.appending(path: "presets").path)",
            ])
            let line = try required(await command.errors(until: "listening on"))
            let port = try required(line.split(separator: ":").last.flatMap { UInt16($0) })
            func request(_ preset: String, _ key: Int, _ path: String = "/a.png") throws -> String {
                let key = try required(SigningKey(hexadecimal: digits[key]))
                let reader = AddressReader(keys: [key], presets: [preset: try PictureOptions("w8")])
                let source = origin.url(path).absoluteString
                return "GET \(try reader.address(options: preset, source: source)) HTTP/1.1\r\nHost: a\r\n\r\n"
            }
            func status(_ preset: String, _ key: Int) async throws -> Int {
                try await RawClient(port: port).status(of: request(preset, key))
            }
            let held = try RawClient(port: port)
            await held.send(try request("card", 0, "/held.png"))
            await gate.waitUntilReached()
            try await expectEqual([status("card", 0), status("card", 1)], [200, 403])
            try write(digits[1], "thumb=w8")
            command.send(SIGHUP)
            await expect(command.errors(until: "are read again") != nil)
            try await expectEqual([status("card", 0), status("card", 1), status("thumb", 1)], [403, 400, 200])
            gate.open()
            await expect(held.receive(until: "\r\n").hasPrefix("HTTP/1.1 200 "))
            // A key without a preset that can be read is not taken either.
            for (keys, presets) in [("", "card=w8"), (digits[0], "card=w0"), ("short", "card=w8")] {
                try write(keys, presets)
                command.send(SIGHUP)
                await expect(command.errors(until: "stay as they were") != nil)
                try await expectEqual([status("card", 0), status("thumb", 1)], [403, 200])
            }
            command.send(SIGTERM)
            await expectEqual(command.status(), 0)
        }
    }

    @Test func `a cache folder that cannot be used is a line at the start`() async throws {
        let command = try RunningCommand([
            "--port=0", "--no-metrics", "--unsigned", "--allow-host=a.example", "--cache=/proc/nope",
        ])
        let line = try required(await command.errors(until: "the disk cache does not work"))
        expectAll(line.contains("folderUnavailable"), line.contains("/proc/nope"))
        command.send(SIGTERM)
        await expectEqual(command.status(), 0)
    }

    @Test func `a second signal ends the program at once`() async throws {
        for signal in [SIGTERM, SIGINT] {
            let command = try RunningCommand([
                "--port=0", "--no-metrics", "--unsigned", "--allow-host=a.example", "--drain-delay=3600",
            ])
            await expect(command.errors(until: "listening on") != nil)
            command.send(signal)
            await expect(command.errors(until: "not ready") != nil)
            command.send(signal)
            await expectEqual(command.status(), signal)
        }
    }

    @Test func `a wrong setting ends the program at the start`() async throws {
        let command = try RunningCommand(["--unsigned"])
        await expect(command.errors(until: "--any-host") != nil)
        await expectEqual(command.status(), 2)
    }

    @Test func `what is wrong is told without a character that a terminal interprets`() async throws {
        let command = try RunningCommand(["--port=0", "--preset", "card=w8,\u{1B}]0;\u{202E}x\u{7}"])
        let line = try required(await command.errors(until: "--preset"))
        #expect(line.contains(#"\u{1B}]0"#) && !line.unicodeScalars.contains("\u{1B}"), "\(line)")
        await expectEqual(command.status(), 2)
    }

    @Test func `an address is signed`() async throws {
        let key = String(repeating: "01", count: 32)
        let command = try RunningCommand(["sign", "--key", key, "w10", "http://example.com/a.png"])
        await expectEqual(command.status(), 0)
        let reader = AddressReader(keys: [SigningKey(hexadecimal: key)!])
        let address = try reader.read(command.output.trimmingCharacters(in: .whitespacesAndNewlines))
        expectEqual(address.source.absoluteString, "http://example.com/a.png")
    }

    @Test func `without an argument three addresses of generated pictures are served`() async throws {
        let command = try RunningCommand(["--port=0", "--metrics-port=0"])
        var addresses: [URL] = []
        while addresses.count < 3, let line = await command.errors(until: "  http://") {
            addresses.append(try required(URL(string: line.trimmingCharacters(in: .whitespaces))))
        }
        var configuration = HTTPClient.Configuration()
        configuration.addressPolicy = .unrestricted
        let client = HTTPClient(configuration: configuration)
        for address in addresses {
            let answer = try await client.send(HTTPRequest(url: address)).collected(upTo: 10_000_000)
            expectEqual(answer.status, 200)
            expectEqual(answer.headers["Content-Type"]?.hasPrefix("image/"), true)
        }
        await client.shutdown()
        command.send(SIGTERM)
        await expectEqual(command.status(), 0)
    }
}
