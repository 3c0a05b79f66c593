// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import SDWebImageCache
@testable import WebImage

/// What a load sends, and which responses it accepts. See `Tests/Upstream.md`.
@Suite(.balanced, .timeLimit(.minutes(1))) struct TransferUseTests {
    @Test(arguments: fewerSeeds)
    func `a request accepts pictures, has its own credential, and is sent as its modifier says`(seed: UInt64) throws {
        // A plain request says that it accepts pictures, and a credential goes with its own.
        let scenario = ManagerScenario(seed: seed)
        var secret = ImageRequest.numbered(2)
        secret.transfer.credential = .basic(user: "reader", password: "secret")
        let callers = [scenario.load(1), scenario.load(secret)]
        scenario.executor.drain()
        expectEqual(callers.compactMap(\.value).count, 2)
        for request in scenario.transport.requests {
            expectEqual(request.headers["Accept"], "image/*,*/*;q=0.8")
            let isSecret = request.url.lastPathComponent == "2.png"
            expectEqual((request.options.credential != nil), isSecret)
        }

        // A request is sent as its modifier returns it.
        do {
            let scenario = ManagerScenario(seed: seed)
            var request = ImageRequest.numbered(1)
            request.modifier = RequestModifier(identity: "signed") { plain in
                var signed = plain
                signed.headers["X-Signature"] = "0123"
                signed.url = URL(string: plain.url.absoluteString + "?token=4")!
                return signed
            }
            let caller = scenario.loadInTurn(request)
            expect(caller.value != nil)
            expectEqual(scenario.transport.requests.map(\.url.query), ["token=4"])
            expectEqual(scenario.transport.requests.map { $0.headers["X-Signature"] }, ["0123"])
        }
    }

    @Test(arguments: [(200..<300, 200, true), (201..<202, 200, false), (200..<500, 404, true), (200..<300, 304, false)])
    func `a status outside of the accepted ones is an error that carries it`(
        accepted: Range<Int>, status: Int, isAccepted: Bool
    ) throws {
        var configuration = ImageManager.Configuration()
        configuration.downloader.acceptableStatusCodes = accepted
        let scenario = ManagerScenario(seed: 1, configuration: configuration) { request in
            let picture = try HTTPResponse.picture(for: request)
            return HTTPResponse(status: status, url: request.url, body: picture.body)
        }
        let caller = scenario.loadInTurn(1)
        expectEqual((caller.value != nil), isAccepted)
        expectEqual(caller.code, (isAccepted ? nil : .unacceptableStatus))
        expectEqual((caller.error as? ImageLoadError)?.status, (isAccepted ? nil : status))

        // What a request accepts takes the place of that.
        for (own, isAccepted) in [(HTTPStatusSet(status...status), status != 304), (HTTPStatusSet(100...101), false)] {
            var request = ImageRequest.numbered(2)
            request.transfer.acceptableStatuses = own
            expectEqual(scenario.loadInTurn(request).value != nil, isAccepted)
        }
    }

    @Test(arguments: fewerSeeds)
    func `a response that becomes a 404, and an empty file, are errors for every caller`(seed: UInt64) throws {
        // A response that its modifier makes a 404 is refused with that status.
        do {
            let scenario = ManagerScenario(seed: seed)
            var request = ImageRequest.numbered(1)
            request.responseModifier = ResponseModifier(identity: "missing") { response in
                HTTPResponse(status: 404, headers: response.headers, url: response.url, body: response.body)
            }
            let caller = scenario.loadInTurn(request)
            expectEqual(caller.code, .unacceptableStatus)
            expectEqual((caller.error as? ImageLoadError)?.status, 404)
        }

        // Every caller of an empty file gets the error.
        let gate = Gate()
        let scenario = ManagerScenario(seed: seed, gate: gate) { request in
            HTTPResponse(status: 200, url: request.url, body: HTTPBody([]))
        }
        let callers = (0...10).map { _ in scenario.load(1) }
        scenario.executor.drain()
        scenario.executor.open(gate)
        expect(callers.allSatisfy { $0.code == .emptyBody })
        expectEqual(scenario.transport.requests.count, 1)
    }

    @Test(arguments: seeds)
    func `two hundred callers of one picture, each at another moment, all get it from one transfer`(
        seed: UInt64
    ) throws {
        let gate = Gate()
        let scenario = ManagerScenario(seed: seed, gate: gate)
        var callers = [scenario.load(1)]
        for number in 0..<200 {
            if number == 150 { gate.open() }
            scenario.executor.run(steps: 1)
            callers.append(scenario.load(1))
        }
        scenario.executor.drain()
        expectEqual([callers.compactMap(\.value).count, scenario.transport.requests.count], [201, 1])
    }

    /// A key of a program, and the extension that the name of its file has.
    private static let names: [(String, String)] = [
        ("TestImage.jpg", "jpg"), ("https://example.org/photo.jpg?size=3.5&x=a.b", "jpg"),
        ("https://maps.example.org/static?center=48.8566,2.3522&zoom=15", ""),
        ("https://example.org/photo.jpg00%00", "jpg00"),
        ("https://example.org/photo." + String(repeating: "x", count: 300), ""),
    ]

    @Test(arguments: names) func `a file of SDWebImage has the extension of its key's path, or none`(
        key: String, expected: String
    ) {
        let name = SDWebImageName(CacheKey(key)).file
        let digits = name.prefix(32).filter(\.isHexDigit)
        expectEqual(digits.count, 32)
        expectEqual(name.dropFirst(32), (expected.isEmpty ? "" : ".\(expected)"))
    }
}
