// SPDX-License-Identifier: MIT
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// How a file is decoded for a request. See `Tests/Upstream.md`.
@Suite(.balanced, .timeLimit(.minutes(1))) struct DecodeUseTests {
    @Test(arguments: fewerSeeds)
    func `a picture above the byte budget of its request comes smaller, under a name of its own`(seed: UInt64) throws {
        // The gate makes both loads share one transfer.
        let gate = Gate()
        let staged = try StagedManager(seed: seed, gate: gate)
        var request = ImageRequest.numbered(1)
        request.byteBudget = 8 * 8 * 4
        let (small, whole) = (staged.load(request), staged.load(.numbered(1)))
        staged.run()
        staged.open(gate)
        expectEqual([small.value?.image.width, small.value?.image.height, whole.value?.image.width], [8, 8, 16])
        expectEqual([staged.manager.peek(request)?.width, staged.manager.peek(.numbered(1))?.width], [8, 16])
        expectEqual(staged.transport.requests.count, 1)
    }

    @Test(arguments: fewerSeeds) func `a picture has the scale that its request gives it`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed)
        var request = ImageRequest.numbered(1, transformers: [.resize(to: PixelSize(width: 4, height: 4))])
        request.scale = 2
        for source in [ImageSource.network, .memory, .disk] {
            if source == .disk { staged.emptyMemory() }
            let caller = staged.loadInTurn(request)
            expectEqual(caller.value?.source, source)
            expectEqual(caller.value?.image.scale, 2)
        }
    }

    /// A profile of RGB colours with one tag of four bytes.
    static let profile: [UInt8] = {
        var bytes = [UInt8](repeating: 0, count: 148)
        for (offset, value) in [(3, 148), (8, 2), (131, 1), (139, 144), (143, 4)] { bytes[offset] = UInt8(value) }
        for (offset, text) in [(12, "mntr"), (16, "RGB "), (20, "XYZ "), (36, "acsp"), (132, "wtpt")] {
            bytes.replaceSubrange(offset..<offset + 4, with: text.utf8)
        }
        return bytes
    }()

    @Test func `a picture that keeps its colours has their profile from the origin, from memory and from disk`() throws
    {
        var picture = ImageFactory.picture(width: 16, height: 16, seed: 1)
        picture.metadata = ImageMetadata(colorProfile: Self.profile)
        let file = try ImageCoders.default.encode(picture, as: EncodedFormat.png.keeping(.colorProfile))
        let staged = try StagedManager(seed: 1) { request in
            HTTPResponse(status: 200, url: request.url, body: HTTPBody([file]))
        }
        for steps in [[], [.resize(to: PixelSize(width: 4, height: 4))]] as [[any ImageTransforming]] {
            var request = ImageRequest.numbered(1, transformers: steps)
            request.keepsColors = true
            for round in 0..<3 {
                if round == 2 { staged.emptyMemory() }
                let value = staged.loadInTurn(request).value
                expectEqual(value?.image.metadata?.colorProfile, Self.profile, "\(round), \(value?.source as Any)")
            }
        }
        // The plain picture in memory has lost the profile.
        staged.loadInTurn(.numbered(2))
        var kept = ImageRequest.numbered(2, transformers: [.rotate(degrees: 180)])
        kept.keepsColors = true
        expectEqual(staged.loadInTurn(kept).value?.image.metadata?.colorProfile, Self.profile)
        // Its own variant: a request without the wish has pixels in sRGB.
        let plain = staged.loadInTurn(.numbered(1, transformers: [.resize(to: PixelSize(width: 4, height: 4))]))
        expectNil(plain.value?.image.metadata?.colorProfile)
    }
}
