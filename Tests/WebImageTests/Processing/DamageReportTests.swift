// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// What is patched up in a damaged file is said in every result.
@Suite(.balanced, .timeLimit(.minutes(1))) struct DamageReportTests {
    private static let half: ImageDamage = [.missingEnd, .missingPixels]

    /// - Parameter share: How much of the file arrives.
    private func staged(_ format: EncodedFormat, _ share: Double, hasDisk: Bool = true, gate: Gate? = nil) throws
        -> StagedManager
    {
        let file = try ImageFactory.encoded(width: 60, height: 60, seed: 1, as: format)
        let part = Array(file.prefix(Int(Double(file.count) * share)))
        return try StagedManager(seed: 1, gate: gate, hasDisk: hasDisk) { request in
            HTTPResponse(status: 200, url: request.url, body: HTTPBody([part]))
        }
    }

    private func request(_ failOn: DamagePolicy, _ steps: [any ImageTransforming] = []) -> ImageRequest {
        var request = ImageRequest.numbered(1, transformers: steps)
        request.failOn = failOn
        return request
    }

    @Test func `a picture and a file say what was patched up, from the origin, from memory and from disk`() throws {
        let staged = try staged(.jpeg(), 0.7)
        let small = request(.never, [.resize(to: PixelSize(width: 8, height: 8))])
        for round in ["origin", "memory", "disk"] {
            if round == "disk" { staged.emptyMemory() }
            expectEqual(staged.loadInTurn(small).value?.damage, Self.half, "\(round)")
            expectEqual(staged.dataInTurn(small, as: .webp()).value?.damage, Self.half, "\(round)")
            expectEqual(staged.dataInTurn(request(.never), as: .original).value?.damage, Self.half, "\(round)")
            let whole = staged.loadInTurn(request(.never)).value
            expectEqual(whole?.damage, Self.half, "\(round)")
            expectEqual(whole?.original?.damage, round == "origin" ? Self.half : nil, "\(round)")
        }
        expectEqual(staged.transport.requests.count, 1)
        expectEqual(staged.loadInTurn(small).value?.source, .memory)
        expect(staged.isAtRest)
    }

    @Test(arguments: [true, false])
    func `what a lax request has stored of an original is no answer for a strict one`(hasDisk: Bool) throws {
        let staged = try staged(.jpeg(), 0.7, hasDisk: hasDisk)
        expectEqual(staged.dataInTurn(request(.never), as: .original).value?.damage, Self.half)
        expectEqual(staged.dataInTurn(request(.truncated), as: .original).code, .undecodable)
        staged.emptyMemory()
        expectEqual(staged.dataInTurn(request(.anyDamage), as: .original).code, .undecodable)
        expectEqual(staged.dataInTurn(request(.never), as: .original).value?.damage, Self.half)
    }

    @Test func `a strict and a lax request of one original share no work`() throws {
        let gate = Gate()
        let staged = try staged(.jpeg(), 0.7, gate: gate)
        let lax = staged.data(request(.never), as: .original)
        let strict = staged.data(request(.truncated), as: .original)
        staged.run()
        staged.open(gate)
        expectEqual(lax.value?.damage, Self.half)
        expectEqual(strict.code, .undecodable)
        expect(staged.isAtRest)
    }

    @Test func `an original without its end is an answer for all but the strictest`() throws {
        let staged = try staged(.jpeg(), 0.999)
        expectEqual(staged.dataInTurn(request(.truncated), as: .original).value?.damage, .missingEnd)
        expectEqual(staged.dataInTurn(request(.never), as: .original).value?.source, .memory)
        expectEqual(staged.dataInTurn(request(.truncated), as: .original).value?.source, .memory)
        expectEqual(staged.dataInTurn(request(.anyDamage), as: .original).code, .undecodable)
    }

    @Test(arguments: [CacheTiers.all, .disk, .memory], [true, false])
    func `a file that a program stores is not examined before a load decodes it`(tiers: CacheTiers, isWhole: Bool)
        throws
    {
        let file = try ImageFactory.encoded(width: 60, height: 60, seed: 1, as: .png)
        let stored = isWhole ? file : Array(file.prefix(file.count / 2))
        let staged = try StagedManager(seed: 1)
        var target = request(.truncated)
        (target.cachePolicy, target.cacheWrites, target.cacheReads) = (.onlyIfCached, .init(tiers), .init(tiers))
        let storing = staged.start { [target] in try await $0.store(stored, for: target) }
        staged.run()
        expect(storing.value != nil)
        for _ in 0..<2 {
            let answer = staged.dataInTurn(target, as: .original)
            expectEqual(answer.value?.bytes, isWhole ? stored : nil)
            expect(isWhole ? answer.value?.damage == [] : answer.error != nil)
        }
        expectEmpty(staged.transport.requests)
    }

    @Test func `a whole file has no damage, and an entry that claims another is not believed further`() throws {
        let staged = try staged(.jpeg(), 1)
        expectEqual(staged.loadInTurn(request(.never)).value?.damage, [])
        expectEqual(staged.dataInTurn(request(.never), as: .original).value?.damage, [])
        var metadata = EntryMetadata(url: "http://a.example/")
        metadata.attributes["damage"] = "-1"
        expectEqual(metadata.damage, [.missingEnd, .missingPixels, .corruptData, .notExamined])
        metadata.attributes["damage"] = "x"
        expectEqual(metadata.damage, [])
    }
}
