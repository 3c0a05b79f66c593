// SPDX-License-Identifier: MIT
import Foundation
import Locks
import TestSupport
import Testing
import WebImageBinding
import WebImageTesting

@testable import gallery

/// Cells that show animations.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct CellTests {
    private let clock = ManualClock()
    private let rect = ScreenRect(column: 0, row: 0, columns: 1, rows: 1)
    private let meter = TurnMeter()
    private let hits = Journal<Int>()

    private func cell(_ stage: Stage) -> Cell {
        Cell(
            id: 0, loader: stage.manager,
            events: CellEvents(
                meter: meter, clock: clock, previewInterval: .zero, needsDisplay: {},
                shownFromMemory: { [hits] in hits.write(0) }))
    }

    @Test func `a late painter gets the frame that the player has made, and makes none itself`() async throws {
        try await withStage { stage in
            let source = CountedFrames()
            let picture = try DecodedImage(
                width: 1, height: 1, firstFrame: [0, 0, 0, 255], source: source, hasAlpha: false)
            let cell = cell(stage)
            cell.show(picture, in: .image, transition: nil)
            var configuration = AnimationPlayer.Configuration()
            configuration.bufferedFrameCount = 0
            let player = AnimationPlayer(picture, configuration: configuration, clock: clock)
            var reader = player.makeAsyncIterator()
            var tiles = [cell.tile(at: rect, isSelected: false)]
            for frame in [2, 4] {
                player.seek(to: frame)
                cell.showFrame(try required(await reader.next()), of: picture, in: .image)
                tiles.append(cell.tile(at: rect, isSelected: false))
            }
            var patches = PatchStore()
            for (tile, frame) in zip(tiles, [0, 2, 4] as [UInt8]) {
                let patch = patches.patch(of: tile, PixelSize(width: 1, height: 1)).patch
                expectEqual(patch.pixels, [frame, frame, frame])
            }
            expectEqual(source.made.withLock { $0 }, [2, 4])
        }
    }

    @Test func `a turn within a turn is part of it`() {
        let meter = TurnMeter()
        meter.measure { meter.measure {} }
        expectEqual(meter.count, 1)
    }

    @Test func `a reused cell says and shows nothing of the item before`() async throws {
        try await withStage { stage in
            let (cell, box) = (cell(stage), PixelSize(width: 48, height: 32))
            @MainActor func tile() -> Scene.Tile { cell.tile(at: rect, isSelected: false) }
            @MainActor func caption() -> String { tile().caption }
            @MainActor func present(_ item: Item, _ index: Int, _ policy: CachePolicy = .cacheFirst) async {
                cell.present(item, index, box, policy)
                while cell.isLoading { await Task.yield() }
            }
            await present(stage.items[0], 0)
            expectEqual(caption(), " 1 jpeg, downloaded")
            // What was awaited fades in.
            expectAll(cell.isFading, tile().mix == 0)
            clock.advance(by: .milliseconds(200))
            expectEqual(tile().mix, 128)
            let missing = Item(url: stage.items[0].url.appending(path: "none"), name: "none")
            await present(missing, 1)
            expectEqual(caption(), " 2 none, failed")
            expectAll(cell.picture == nil, tile().hasFailed)
            // What is loaded again has its own source.
            await present(stage.items[0], 0)
            expectEqual(caption(), " 1 jpeg, from memory")
            expectAll(!cell.isFading, hits.count == 1)
            // It is shown until the new one is there.
            cell.present(stage.items[0], 0, box, .reload)
            expect(cell.picture != nil)
            while cell.isLoading { await Task.yield() }
            expectEqual(caption(), " 1 jpeg, downloaded")
            expectAll(tile().mix == 0, tile().previous != nil)
            cell.visibility = .hidden
            cell.present(stage.items[2], 2, box)
            expectEqual(caption(), " 3 png, ")
            expectNil(cell.picture?.size)
            cell.visibility = .visible
            expectAll(caption() == " 3 png", tile().progress == 0)
            while cell.isLoading { await Task.yield() }
            expectAll(cell.picture != nil, tile().progress == nil)
            // All that is done in a turn is one turn.
            let turns = meter.count
            meter.measure { cell.empty() }
            expectAll(meter.count == turns + 1, meter.longest > .zero, meter.longestWork > .zero)
            expectAll(cell.picture == nil, cell.item == nil, !cell.isLoading)
        }
    }

    @Test func `an animation whose frames are not held plays in its cell`() async throws {
        try await withStage(heldAnimationByteCount: 0) { stage in
            let cell = cell(stage)
            cell.present(stage.items[3], 3, PixelSize(width: 48, height: 32))
            @MainActor func layer() -> Scene.Layer? { cell.tile(at: rect, isSelected: false).layer }
            while layer()?.isPreview != false { await Task.yield() }
            expectEqual(layer()?.picture.makesFramesOnDemand, true)
            for frame in [1, 2, 0] {
                while layer()?.frame == frame { await Task.yield() }
                while layer()?.frame != frame {
                    clock.advance(by: .milliseconds(10))
                    for _ in 0..<20 { await Task.yield() }
                }
            }
            cell.empty()
        }
    }
}

/// Frames of one grey pixel, and which of them were made.
private final class CountedFrames: FrameSource {
    let durations = [Duration](repeating: .milliseconds(100), count: 5)
    let byteCount = 0
    let made = Mutex<[Int]>([])

    func pixels(at index: Int) -> [UInt8] {
        made.withLock { $0.append(index) }
        return [UInt8(index), UInt8(index), UInt8(index), 255]
    }
}
