// SPDX-License-Identifier: MIT
import CTransportShims
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10)))
struct ConnectionPolicyTests {
    @Test func `by default nothing on this machine is reached, and without restrictions it is`() async throws {
        let origin = try OriginServer.byHand { $0.respond(body: [1]) }
        let client = HTTPClient()
        for template in [
            "http://127.0.0.1:PORT/", "http://localhost:PORT/", "http://127.1:PORT/", "http://0x7f000001:PORT/",
            "http://2130706433:PORT/", "http://[::ffff:127.0.0.1]:PORT/", "http://0:PORT/",
        ] {
            let url = try required(URL(string: template.replacing("PORT", with: "\(origin.port)")))
            let error = await expectHTTPError(.addressNotAllowed, "\(url)") { try await client.get(url) }
            expectEqual(error?.message.contains("address policy"), true, "\(url)")
        }
        expectEqual(origin.connectionCount, 0)
        await client.shutdown()
        var configuration = HTTPClient.Configuration()
        configuration.addressPolicy = .unrestricted
        let free = HTTPClient(configuration: configuration)
        try await expectEqual(free.get(origin.url("/")).status, 200)
        await free.shutdown()
        origin.stop()
    }

    @Test func `A connection that is reused is asked about again`() async throws {
        // libcurl asks this before every request on every connection; a request must not slip through on an old one.
        let client = HTTPClient()
        try await client.table.askAboutConnections()
        await client.shutdown()
    }

    @Test(arguments: ["http://192.168.1.9:3128", "http://192.168.1.9:3128/", "https://[::ffff:192.168.1.9]:3128"])
    func `behind a proxy every connection but the one to the proxy is judged`(_ proxy: String) throws {
        var configuration = HTTPClient.Configuration()
        configuration.proxy = URL(string: proxy)
        let table = TransferTable(TransferSettings(configuration), lookUp: NameResolver.system)
        let request = HTTPRequest(url: URL(string: "http://a.example/")!)
        let transfer = Transfer(try TransferOrder(id: 1, request, in: table), for: nil)
        let mayConnect = { (address: String, port: Int?) in
            transfer.mayConnect(to: IPAddress(address), port: port, proxyAddresses: [])
        }
        expect(mayConnect("192.168.1.9", 3128))
        expect(mayConnect("::ffff:192.168.1.9", 3128))
        expect(mayConnect("192.168.1.9", nil))
        expect(!mayConnect("192.168.1.9", 80))
        expect(!mayConnect("192.168.1.8", 3128))
        expect(!mayConnect("127.0.0.1", nil))
        expect(!mayConnect("not an address", 3128))
        expect(mayConnect("93.184.216.34", 80))
    }

    @Test(arguments: ["socks5://127.0.0.1:1", "socks4://127.0.0.1:1", "ftp://127.0.0.1", "127.0.0.1:80", "", "http://"])
    func `a proxy that cannot be judged is refused`(_ proxy: String) async throws {
        let configuration = HTTPClient.Configuration.loopback { $0.proxy = URL(string: proxy) ?? URL(string: "x:") }
        try await withOrigin(configuration, handler: { $0.respond() }) { origin, client in
            await expectHTTPError(.unsupportedURL) { try await client.get(origin.url("/")) }
            expectEqual(origin.connectionCount, 0)
        }
    }
}

extension TransferTable {
    /// Asks where libcurl would: on the event loop, about a transfer of this table.
    fileprivate func askAboutConnections() throws {
        let order = try TransferOrder(id: makeID(), HTTPRequest(url: URL(string: "http://a.example/")!), in: self)
        let transfer = Transfer(order, for: nil)
        let easy = try required(multi.makeHandle())
        transfer.phase = .running(easy, .connecting)
        transfers[order.id] = transfer
        defer { transfers[order.id] = nil }
        let context = unsafe Unmanaged.passUnretained(order).toOpaque()
        let ask = { (address: String) in
            var text = address.utf8CString
            return unsafe text.withUnsafeMutableBufferPointer {
                unsafe TransferCallbacks.prereq(context, $0.baseAddress, nil, 80, 80)
            }
        }
        expectEqual(ask("93.184.216.34"), CURL_PREREQFUNC_OK)
        expectNil(transfer.refusal)
        expectEqual(ask("10.0.0.7"), CURL_PREREQFUNC_ABORT)
        expectEqual(transfer.refusal?.address, IPAddress("10.0.0.7"))
        expectEqual(ask("not an address"), CURL_PREREQFUNC_ABORT)
        expect(transfer.idleDeadline != nil)
    }
}
