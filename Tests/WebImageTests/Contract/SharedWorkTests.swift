// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Loads of one original share its transfer, its decode and the transformers with which they begin.
@Suite(.balanced, .timeLimit(.minutes(1))) struct SharedWorkTests {
    /// Passes the picture on, and counts.
    private struct Counted: ImageTransforming {
        let key: String
        let runs: Journal<String>

        func resultSize(for size: PixelSize) -> PixelSize { size }
        func transform(_ image: DecodedImage) -> DecodedImage {
            runs.write(key)
            return image
        }
    }

    private static func box(_ side: Int) -> any ImageTransforming {
        .resize(to: PixelSize(width: side, height: side))
    }

    @Test(arguments: [false, true], fewerSeeds)
    func `ten variants of one picture are one transfer and one decode`(isStored: Bool, seed: UInt64) throws {
        let gate = Gate()
        let staged = try StagedManager(seed: seed, gate: gate)
        if isStored {
            gate.open()
            staged.loadInTurn(.numbered(1))
            staged.emptyMemory()
        }
        let decodes = staged.coder.decodes
        let callers = (1...10).map { staged.load(.numbered(1, transformers: [Self.box($0)])) }
        staged.run(without: .pixels)
        staged.open(gate)
        expectEqual(callers.map { $0.value?.image.width }, Array(1...10))
        expectEqual(staged.transport.requests.count, 1)
        expectEqual(staged.coder.decodes, decodes + 1)
        expect(staged.isAtRest)
    }

    @Test func `what arrives late replaces nothing newer for the loads that wait`() throws {
        let staged = try StagedManager(seed: 1)
        let (request, shared) = (ImageRequest.numbered(1), staged.manager.pipeline.jobs)
        let identity = RequestIdentity(request)
        let origin = OriginResponse(url: request.url, status: 200, headers: [:])
        let wish = shared.wish(for: request, identity)
        for number in [2, 1] {
            shared.noteArrival(Download(origin: origin, bytes: [UInt8(number)], number: number), identity)
        }
        expectEqual(shared.arrived(identity)?.bytes, [2])
        withExtendedLifetime(wish) {}
        expectEqual(shared.entryCount, 1)
    }

    @Test(arguments: Seeds.first(20))
    func `a load does not fail because another one wants more of the picture than there is memory for`(
        seed: UInt64
    ) throws {
        var configuration = ImageManager.Configuration()
        configuration.maximumProcessingByteCount = 400_000
        let jpeg = try ImageFactory.encoded(width: 512, height: 512, seed: 1, as: .jpeg())
        let gate = Gate()
        let staged = try StagedManager(seed: seed, gate: gate, configuration: configuration) { request in
            HTTPResponse(status: 200, url: request.url, body: HTTPBody([jpeg]))
        }
        let callers = [[], [Self.box(16)], [Self.box(32)]].map { transformers in
            var request = ImageRequest.numbered(1, transformers: transformers)
            request.coders = Identified(identity: "default", ImageCoders.default)
            return staged.load(request)
        }
        staged.run(without: .pixels)
        staged.open(gate)
        expectEqual((callers[0].error as? ImageLoadError)?.reason, ImageError.Code.memoryLimitExceeded.description)
        expectNil(callers[1].error)
        expectEqual([callers[1].value?.image.width, callers[2].value?.image.width], [16, 32])
        expect(staged.isAtRest)
    }

    @Test(arguments: [false, true], fewerSeeds)
    func `a transformer with which several loads begin runs once`(asFiles: Bool, seed: UInt64) throws {
        let runs = Journal<String>()
        let (a, b, c) = (
            Counted(key: "a", runs: runs), Counted(key: "b", runs: runs), Counted(key: "c", runs: runs)
        )
        let gate = Gate()
        let staged = try StagedManager(seed: seed, gate: gate)
        let lists: [[any ImageTransforming]] = [[a], [a, b], [a, b, c], [c]]
        let requests = lists.map { ImageRequest.numbered(1, transformers: $0) }
        let pictures = asFiles ? [] : requests.map { staged.load($0) }
        let files = asFiles ? requests.map { staged.data($0, as: .png) } : []
        staged.run(without: .pixels)
        staged.open(gate)
        expectAll(pictures.allSatisfy { $0.value != nil }, files.allSatisfy { $0.value != nil })
        expectEqual(runs.entries.sorted(), ["a", "b", "c", "c"])
        expectEqual(staged.coder.decodes, 1)
    }

    @Test(arguments: fewerSeeds)
    func `the error of a shared transformer reaches every load that needs it, and no other`(seed: UInt64) throws {
        let gate = Gate()
        let staged = try StagedManager(seed: seed, gate: gate)
        let bad: any ImageTransforming = .crop(to: PixelRect(x: 900, y: 900, width: 1, height: 1))
        let failing = [[bad], [bad, Self.box(2)]].map { staged.load(.numbered(1, transformers: $0)) }
        let whole = staged.load(.numbered(1))
        staged.run(without: .pixels)
        staged.open(gate)
        expectEqual(failing.map(\.code), [.processingFailed, .processingFailed])
        expect(whole.value != nil)
    }

    @Test(arguments: [false, true], fewerSeeds)
    func `loads of one original are one transfer, whenever they begin`(hasDisk: Bool, seed: UInt64) throws {
        // A load that begins while another one decodes the file does not ask for it again.
        let staged = try StagedManager(seed: seed, hasDisk: hasDisk)
        let first = staged.load(.numbered(1, transformers: [Self.box(4)]))
        staged.run(without: .pixels)
        expect(first.isRunning)
        let second = staged.load(.numbered(1, transformers: [Self.box(5)]))
        staged.run(without: .pixels)
        staged.run()
        expectEqual([first.value?.image.width, second.value?.image.width], [4, 5])
        expectEqual(staged.transport.requests.count, 1)
        expect(staged.manager.peek(.numbered(1, transformers: [Self.box(4)])) != nil)

        // Two variants that begin at any time are one transfer with a disk.
        do {
            let staged = try StagedManager(seed: seed)
            let callers = [4, 5].map { side in
                let caller = staged.load(.numbered(1, transformers: [Self.box(side)]))
                staged.runSome()
                return caller
            }
            staged.run()
            expectEqual(callers.map { $0.value?.image.width }, [4, 5])
            expectEqual(staged.transport.requests.count, 1)
        }
    }
}
