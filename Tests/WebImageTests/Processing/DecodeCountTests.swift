// SPDX-License-Identifier: MIT
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// How often one original is decoded for callers that come at once.
@Suite(.balanced, .timeLimit(.minutes(1))) struct DecodeCountTests {
    enum Place: CaseIterable { case network, disk, memory }

    /// Starts the rest of the callers in the middle of the first decode, and runs all but the work on pixels.
    private final class Crowd: @unchecked Sendable {
        // Every step of a staged manager runs on the thread of the test.
        var staged: StagedManager?
        var callers: [Probe<ImageResponse>] = []

        func start(_ sides: some Sequence<Int>) {
            guard let staged else { return }
            callers += sides.map { side in
                staged.load(.numbered(1, transformers: [.resize(to: PixelSize(width: side, height: side))]))
            }
            staged.run(without: .pixels)
        }
    }

    @Test(arguments: Place.allCases, fewerSeeds)
    func `ten sizes at once begin at most two decodes and end one`(place: Place, seed: UInt64) throws {
        let crowd = Crowd()
        let coder = CountingCoder { if crowd.callers.count == 1 { crowd.start(2...10) } }
        let staged = try StagedManager(seed: seed, coder: coder, hasDisk: place == .disk)
        if place != .network { staged.dataInTurn(.numbered(1), as: .original) }
        let (begun, finished) = (coder.decodes, coder.finishedDecodes)
        crowd.staged = staged
        defer { crowd.staged = nil }
        crowd.start(1...1)
        staged.run()
        expectEqual(crowd.callers.map { $0.value?.image.width }, Array(1...10))
        expectAll(coder.decodes - begun <= 2, coder.finishedDecodes - finished == 1)
        expectEqual(staged.transport.requests.count, 1)
        expect(staged.isAtRest)
    }
}
