// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Loads that come, and callers that leave, while a job decodes, transforms and encodes.
///
/// What happens in the middle of a step is done by the step itself: it runs the executor of the loads, as if they ran
/// on other threads.
@Suite(.balanced, .timeLimit(.minutes(1))) struct PictureJobTests {
    /// What happens in the middle of a step, once.
    private final class Event: Sendable {
        private let body = Mutex<(@Sendable () -> Void)?>(nil)

        func set(_ body: @escaping @Sendable () -> Void) { self.body.withLock { $0 = body } }
        func happen() { body.withLock { $0.take() }?() }
    }

    /// Runs an event in its middle, passes the picture on, and counts.
    private struct Step: ImageTransforming {
        let key: String
        let runs: Journal<String>
        var event: Event?

        func transform(_ image: DecodedImage) throws -> DecodedImage {
            event?.happen()
            try Task.checkCancellation()
            runs.write(key)
            return image
        }
    }

    private static func box(_ side: Int) -> any ImageTransforming { .resize(to: PixelSize(width: side, height: side)) }

    @Test(arguments: [3, 5], fewerSeeds)
    func `a load that comes while the original is decoded is part of it`(side: Int, seed: UInt64) throws {
        let event = Event()
        let coder = CountingCoder(whileDecoding: { event.happen() })
        let staged = try StagedManager(seed: seed, coder: coder, hasDisk: false)
        let late = Mutex<Probe<ImageResponse>?>(nil)
        let manager = staged.manager
        let executor = staged.executor
        event.set {
            let probe = Probe(on: executor) {
                try await manager.load(.numbered(1, transformers: [Self.box(side)]))
            }
            late.withLock { $0 = probe }
            executor.drain()
        }
        let first = staged.loadInTurn(.numbered(1, transformers: [Self.box(4)]))
        expectEqual(first.value?.image.width, 4)
        expectEqual(late.withLock { $0 }?.value?.image.width, side)
        // A larger one begins the decode anew, which is cancelled in its middle.
        expectEqual(staged.coder.decodes, side > 4 ? 2 : 1)
        expect(staged.isAtRest)
    }

    @Test(arguments: fewerSeeds) func `a load that comes while a step runs joins it`(seed: UInt64) throws {
        let (event, runs) = (Event(), Journal<String>())
        let (a, b) = (Step(key: "a", runs: runs, event: event), Step(key: "b", runs: runs))
        let staged = try StagedManager(seed: seed, hasDisk: false)
        let (manager, executor) = (staged.manager, staged.executor)
        let late = Mutex<[Probe<EncodedImage>]>([])
        event.set {
            let probes = [[a], [a, b]].map { steps in
                Probe(on: executor) {
                    try await manager.encodedImage(for: .numbered(1, transformers: steps), as: .png)
                }
            }
            late.withLock { $0 = probes }
            executor.drain()
        }
        let first = staged.loadInTurn(.numbered(1, transformers: [a]))
        expect(first.value != nil)
        expectEqual(late.withLock { $0 }.map { $0.value != nil }, [true, true])
        expectEqual(runs.entries.sorted(), ["a", "b"])
        expectEqual(staged.coder.decodes, 1)
        expect(staged.isAtRest)
    }

    @Test(arguments: ["a", "b", "c", "decode"], fewerSeeds)
    func `a caller that leaves at any step ends its own work, and no other`(at place: String, seed: UInt64) throws {
        let (event, runs) = (Event(), Journal<String>())
        func step(_ key: String) -> Step { Step(key: key, runs: runs, event: key == place ? event : nil) }
        let coder = CountingCoder(whileDecoding: { if place == "decode" { event.happen() } })
        let gate = Gate()
        let staged = try StagedManager(seed: seed, gate: gate, coder: coder)
        let executor = staged.executor
        let lists: [[any ImageTransforming]] = [[step("a"), step("b")], [step("a")], [step("c")]]
        let callers = lists.map { staged.load(.numbered(1, transformers: $0)) }
        staged.run(without: .pixels)
        let leaving = callers[place == "c" ? 2 : 0]
        event.set {
            leaving.cancel()
            executor.drain()
        }
        staged.open(gate)
        expect(leaving.error is CancellationError)
        expect(callers.filter { $0 !== leaving }.allSatisfy { $0.value != nil })
        expectEqual(runs.entries.filter { $0 == "a" }.count, 1)
        expectEqual(runs.entries.contains("b"), place == "c")
        expectEqual(runs.entries.contains("c"), place != "c")
        expect(staged.isAtRest)
    }

    @Test(arguments: fewerSeeds)
    func `a load that prepares its transformers joins with those that work`(seed: UInt64) throws {
        let gate = Gate()
        let staged = try StagedManager(seed: seed, gate: gate)
        let mark = ImageRequest.numbered(2)
        let lists: [[any ImageTransforming]] = [
            [Self.box(8)], [Self.box(8), .watermark(mark)], [.watermark(mark)],
        ]
        let callers = lists.map { staged.load(.numbered(1, transformers: $0)) }
        staged.run(without: .pixels)
        staged.open(gate)
        expectEqual(callers.map { $0.value?.image.width }, [8, 8, 16])
        expect(staged.isAtRest)
    }

    @Test(arguments: fewerSeeds)
    func `outputs with a budget of bytes have the sizes that they have alone`(seed: UInt64) throws {
        let gate = Gate()
        let staged = try StagedManager(seed: seed, gate: gate)
        let callers = [PixelSize(width: 12, height: 4), PixelSize(width: 4, height: 12)].map { box in
            var request = ImageRequest.numbered(1, transformers: [.resize(to: box, mode: .fill)])
            request.byteBudget = 12 * 4 * 4
            return staged.load(request)
        }
        staged.run(without: .pixels)
        staged.open(gate)
        expectEqual(callers.map { $0.value?.image.size.description }, ["12x4", "4x12"])
    }

    @Test(arguments: seeds) func `callers that come and leave at any time leave nothing`(seed: UInt64) throws {
        let runs = Journal<String>()
        let (a, b) = (Step(key: "a", runs: runs), Step(key: "b", runs: runs))
        let staged = try StagedManager(seed: seed, hasDisk: seed.isMultiple(of: 2))
        let lists: [[any ImageTransforming]] = [[a], [a, b], [Self.box(2)], [Self.box(9)], [], [b]]
        var pictures: [Probe<ImageResponse>] = []
        var files: [Probe<EncodedImage>] = []
        for round in 0..<8 {
            let list = lists[(round + Int(seed)) % lists.count]
            if round.isMultiple(of: 3) {
                files.append(staged.data(.numbered(1, transformers: list)))
            } else {
                pictures.append(staged.load(.numbered(1, transformers: list)))
            }
            staged.runSome(upTo: 25)
            if round == 5 { pictures[0].cancel() }
            if round == 6 { files[1].cancel() }
        }
        staged.run()
        expect(pictures.dropFirst().allSatisfy { $0.value != nil })
        expect(files.enumerated().allSatisfy { $0 == 1 || $1.value != nil })
        expectEqual(staged.transport.requests.count, 1)
        expect(staged.isAtRest)
    }

    @Test func `a picture that shared a decode is the one that is made alone`() async throws {
        let photo = try ImageFactory.encoded(width: 900, height: 600, seed: 7, as: .jpeg(quality: 95))
        let linear: any ImageTransforming = .resize(to: PixelSize(width: 90, height: 90), inLinearLight: true)
        let lists: [[any ImageTransforming]] = [
            [Self.box(400)], [Self.box(200)], [Self.box(64)], [linear],
            [.resize(to: PixelSize(width: 120, height: 120), mode: .fill)],
        ]
        var configuration = ImageManager.Configuration()
        (configuration.disk, configuration.processingWidth) = (nil, 1)
        let transport = StubTransport { HTTPResponse(status: 200, url: $0.url, body: HTTPBody([photo])) }
        let together = ImageManager(configuration: configuration, transport: transport)
        let shared = try await withThrowingTaskGroup(of: (Int, DecodedImage).self) { group in
            for (number, list) in lists.enumerated() {
                group.addTask { (number, try await together.image(for: .numbered(1, transformers: list))) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for (number, list) in lists.enumerated() {
            let alone = try TransformerPipeline(list).transform(ImageCoders.default.decode(photo))
            let other = try required(shared[number])
            expectEqual(other.size, alone.size)
            expect(other.similarity(to: alone), >=, 0.99)
        }
        _ = await together.shutdown(within: .zero)
    }
}

extension DecodedImage {
    /// The structural similarity to another picture of the same size: the mean over squares of 8 pixels of the green
    /// channel.
    ///
    /// - Source: Wang et al., Image quality assessment, IEEE Transactions on Image Processing 13(4), 2004.
    fileprivate func similarity(to other: DecodedImage) -> Double {
        var sums: [Double] = []
        for top in stride(from: 0, to: height - 7, by: 8) {
            for left in stride(from: 0, to: width - 7, by: 8) {
                var (a, b, aa, bb, ab) = (0.0, 0.0, 0.0, 0.0, 0.0)
                for y in top..<top + 8 {
                    for x in left..<left + 8 {
                        let place = (y * width + x) * 4 + 1
                        let (one, two) = (Double(pixels[place]), Double(other.pixels[place]))
                        (a, b, aa, bb, ab) = (a + one, b + two, aa + one * one, bb + two * two, ab + one * two)
                    }
                }
                (a, b, aa, bb, ab) = (a / 64, b / 64, aa / 64, bb / 64, ab / 64)
                let (c1, c2) = (6.5025, 58.5225)
                sums.append(
                    (2 * a * b + c1) * (2 * (ab - a * b) + c2)
                        / ((a * a + b * b + c1) * (aa - a * a + bb - b * b + c2)))
            }
        }
        return sums.reduce(0, +) / Double(sums.count)
    }
}
