// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImage
import WebImageTesting

@testable import fetch

/// Private addresses need an option.
@Suite(.timeLimit(.minutes(10)))
struct AddressTests {
    @Test(arguments: [
        "127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "127.1", "0", "10.0.0.1", "192.168.1.1",
        "172.16.0.1", "169.254.169.254", "100.64.0.1", "[fd00::1]", "[fe80::1]", "[::]",
    ])
    func `a private address is refused by number and by name, without a connection`(host: String) async throws {
        try await withOriginServer { origin in
            origin.respond(to: "/a.png", with: try Pictures.png())
            let workplace = try Workplace()
            let run = try await workplace.fetch(
                ["--json"] + workplace.folders + ["http://\(host):\(origin.port)/a.png"])
            expectEqual(run.status, 1)
            try expectEqual(run.lines.first?.error?.code, "addressNotAllowed")
            expectEqual(origin.connectionCount, 0)
        }
    }

    /// The origin itself is on loopback, so only its address is allowed here.
    @Test(arguments: ["127.0.0.2", "169.254.169.254", "10.0.0.1", "[::1]"])
    func `a redirect does not lead to a private address`(host: String) async throws {
        try await withOriginServer { origin in
            origin.respond(to: "/a.png", with: .redirect(to: "http://\(host):\(origin.port)/secret"))
            origin.respond(to: "/secret", with: try Pictures.png())
            let workplace = try Workplace()
            let result = workplace.folder.appending(path: "result")
            try Data().write(to: result)
            let file = try FileHandle(forWritingTo: result)
            let options = try Options(parsing: workplace.options)
            let screen = Screen(options, output: StandardStream(descriptor: file.fileDescriptor))
            var batch = Batch(options, [Job(text: origin.url("/a.png").absoluteString)], screen)
            let itself = try required(IPNetwork("127.0.0.1/32"))
            batch.configuration.transport.addressPolicy = .publicInternet(allowing: [itself])
            try await expectEqual(batch.run(), 1)
            try expect(String(contentsOf: result, encoding: .utf8).contains(#""code":"addressNotAllowed""#))
            expectEqual(origin.requests.map(\.path), ["/a.png"])
        }
    }
}
