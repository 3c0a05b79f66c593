// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@Suite(.timeLimit(.minutes(1))) struct OriginWireTests {
    @Test
    func `bytes written by hand leave as they are, before a request, too, and the connection ends by hand`() throws {
        // Bytes written by hand leave as they are, and the connection stays open.
        do {
            let origin = try OriginServer.start()
            defer { origin.stop() }
            origin.respondToEverything { request in
                .byHand { wire in
                    let gate = OriginGate()
                    gate.open()
                    expectAll(wire.hold(at: gate), wire.pause(for: .milliseconds(1)))
                    expectAll(wire.write("any\(request.number)"), wire.write([0x21]))
                }
            }
            let client = try RawClient(origin)
            for number in 1...2 {
                try client.get("/")
                expectEqual(client.read(exactly: 5), "any\(number)!")
            }
            expectEqual(origin.connectionCount, 1)
            // A client that asks for the end gets it.
            try client.get("/", "Connection: close")
            let last = client.readToEnd()
            expectAll(last.text == "any3!", last.end == .endOfStream)
        }

        // A connection ends by hand, in order or with a reset.
        do {
            let origin = try OriginServer.start()
            defer { origin.stop() }
            origin.respond(
                to: "/close",
                with: .byHand { wire in
                    wire.write("last")
                    wire.close()
                })
            origin.respond(
                to: "/reset",
                with: .byHand {
                    $0.reset()
                    $0.close()
                })
            let orderly = try RawClient(origin)
            try orderly.get("/close")
            let last = orderly.readToEnd()
            expectEqual(last.text, "last")
            expectEqual(last.end, .endOfStream)
            let lost = try RawClient(origin)
            try lost.get("/reset")
            expectEqual(lost.readToEnd().end, .reset)
        }

        // A greeting is sent before a request.
        do {
            var configuration = OriginServer.Configuration()
            configuration.greeting = Array("hello".utf8)
            let origin = try OriginServer.start(configuration: configuration)
            defer { origin.stop() }
            try expectEqual(RawClient(origin).read(exactly: 5), "hello")
        }
    }

    @Test func `a reply by hand waits for its peer to go, and can write no more`() async throws {
        let origin = try OriginServer.start()
        defer { origin.stop() }
        let (gate, told) = (OriginGate(), Journal<Bool>())
        origin.respondToEverything { _ in
            .byHand { wire in
                wire.write("a")
                wire.waitForClose()
                told.write(wire.hold(at: gate))
                told.write(wire.pause(for: .seconds(100)))
            }
        }
        let client = try RawClient(origin)
        try client.get("/")
        expectEqual(client.read(exactly: 1), "a")
        client.close()
        await origin.waitUntilClosedByPeer(count: 1)
        expectEqual(told.entries, [false, false])
    }
}
