// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageBinding
import WebImageTesting

@testable import WebImage
@testable import gallery

/// What the keys of a gallery, its command line and its demonstration do at once.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct GalleryKeysTests {
    private func gallery(_ stage: Stage) -> Gallery {
        Gallery(
            stage.items, stage.manager, Display(.blocks, checksPictures: false) { _ in },
            .init(
                size: TerminalSize(columns: 80, rows: 24), graphics: .blocks, clock: ManualClock(),
                origin: stage.origin))
    }

    private func press(_ text: String, in gallery: Gallery) throws {
        for case .key(let key) in try Script(text).steps { gallery.handle(key) }
    }

    @Test func `a number is that of a picture, from 1 to the last one`() async throws {
        try await withStage { stage in
            let gallery = gallery(stage)
            // Three in a row, and two rows on the screen. A row that is scrolled away takes the choice along.
            for (text, item) in [
                ("g 17 enter", 16), ("g 999 enter", 59), ("right", 59), ("g 0 enter", 0), ("up", 0), ("l", 1), ("j", 4),
                ("k", 1), ("h", 0), ("pagedown", 6), ("pageup", 0), ("G", 59), ("home", 0), ("end", 59), ("home", 0),
                ("g 2 7 backspace enter", 1), ("g 5 escape", 1), ("right", 2), ("g 123456789 enter", 59),
                ("home", 0), ("wheeldown*3", 9), ("wheelup*3", 3),
            ] as [(String, Int)] {
                try press(text, in: gallery)
                expectEqual(gallery.selected, item, "\(text)")
            }
            try press("home", in: gallery)
            gallery.handle(.character(" "))
            expectEqual(gallery.selected, 6)
            await gallery.displayed()
        }
    }

    @Test func `what is scrolled away is loaded ahead no more, and nothing if the user does not want it`()
        async throws
    {
        try await withStage { stage in
            let gallery = gallery(stage)
            for text in ["end", "home", "g 31 enter"] {
                try press(text, in: gallery)
                // What flies past is not loaded.
                expectAll(!gallery.gate.isOpen, gallery.prefetcher.isPaused)
                expect(gallery.prefetcher.pending.isSubset(of: gallery.grid.near(top: gallery.top)))
            }
            expect(!gallery.prefetcher.pending.isEmpty)
            try press("p", in: gallery)
            expectEmpty(gallery.prefetcher.pending)
            expect(gallery.scene.status.0.contains("   nothing ahead"))
            try press("p s", in: gallery)
            expect(gallery.scene.status.0.contains("   slow origin"))
            expect(!gallery.prefetcher.pending.isEmpty)
            try press("s", in: gallery)
            let clock = try required(gallery.surroundings.clock as? ManualClock)
            while !gallery.gate.isOpen {
                clock.advance(by: .milliseconds(150))
                await Task.yield()
            }
            expect(!gallery.prefetcher.isPaused)
            await gallery.displayed()
        }
    }

    @Test func `behind a zoomed picture the others wait, and go on afterwards`() async throws {
        try await withStage { stage in
            let gallery = gallery(stage)
            try press("enter", in: gallery)
            expectAll(gallery.cells.allSatisfy { $0.visibility == .hidden }, gallery.zoomCell.visibility == .visible)
            expectEqual(gallery.zoomCell.item?.url, stage.items[0].url)
            // It grows from its place, over the others.
            let (scene, place) = (gallery.scene, gallery.grid.rect(of: 0, top: 0))
            let moving = try required(scene.tiles.last)
            expectAll(scene.tiles.count == 7, moving.isMoving, moving.isBare, moving.item == 0, moving.rect == place)
            while gallery.zoomCell.picture == nil { await Task.yield() }
            while await stage.manager.occupancy.callers > 0 {}
            // What is zoomed is asked for at its origin again.
            let activities = stage.manager.activities()
            try press("r", in: gallery)
            for await activity in activities where activity.url == stage.items[0].url {
                if case .started = activity.kind { break }
            }
            // Alone, one follows the other, whatever the direction.
            try press("down", in: gallery)
            expectEqual(gallery.zoomCell.item?.url, stage.items[1].url)
            expect(gallery.scene.status.1.hasPrefix("left right   enter: back"), "\(gallery.scene.status.1)")
            // In another window it is loaded at another size.
            while gallery.zoomCell.isLoading { await Task.yield() }
            gallery.resize(TerminalSize(columns: 40, rows: 12))
            expect(gallery.zoomCell.isLoading)
            try press("escape", in: gallery)
            expectEqual(gallery.motion?.opens, false)
            try required(gallery.surroundings.clock as? ManualClock).advance(by: Motion.duration)
            gallery.beat()
            expect(gallery.motion == nil)
            expectAll(gallery.cells.allSatisfy { $0.visibility == .visible }, gallery.zoomCell.visibility == .hidden)
            expectNil(gallery.zoomCell.item?.url)
            expectNil(gallery.zoomCell.picture)
            try press("enter backspace", in: gallery)
            expectNil(gallery.zoomed)
            await gallery.displayed()
        }
    }

    @Test func `what has failed is asked for again after the caches were emptied`() async throws {
        try await withStage { stage in
            let missing = ImageRequest(stage.items[0].url.appending(path: "none"))
            for code in [ImageLoadError.Code.unacceptableStatus, .recentlyFailed] {
                let error = await expectError(ImageLoadError.self) { try await stage.manager.image(for: missing) }
                expectEqual(error?.code, code)
            }
            let gallery = gallery(stage)
            try press("m", in: gallery)
            await gallery.clearing?.value
            let error = await expectError(ImageLoadError.self) { try await stage.manager.image(for: missing) }
            expectEqual(error?.code, .unacceptableStatus)
            // The disk is emptied by a key of its own.
            let picture = ImageRequest(stage.items[0].url)
            _ = try await stage.manager.load(picture)
            await stage.manager.flush()
            for (key, source) in [("m", ImageSource.disk), ("c", .network)] {
                try press(key, in: gallery)
                await gallery.clearing?.value
                try await expectEqual(stage.manager.load(picture).source, source, "\(key)")
            }
            await gallery.displayed()
        }
    }

    @Test func `the caches know the pictures of another run by their size, and a slow origin is fast again`()
        async throws
    {
        func origin(_ side: Int) throws -> DemoOrigin {
            try DemoOrigin(count: 2, size: PixelSize(width: side, height: side))
        }
        let (first, again, other) = (try origin(16), try origin(16), try origin(32))
        defer { [first, again, other].forEach { $0.stop() } }
        func keys(_ origin: DemoOrigin) -> [String] {
            origin.items.map { $0.request(PixelSize(width: 8, height: 8)).cacheKey ?? "" }
        }
        expectEqual(keys(first), keys(again))
        expectAll(first.items[0].url != again.items[0].url, Set(keys(first) + keys(other)).count == 4)
        first.setSlow(true)
        first.setSlow(false)
        var configuration = ImageManager.Configuration()
        (configuration.disk, configuration.transport.addressPolicy) = (nil, .unrestricted)
        let address = first.items[0].url
        try await withImageManager(configuration) { try await expectEqual($0.image(from: address).width, 16) }
        expectEqual(first.heldCount, 0)
    }

    @Test
    func `private addresses are not asked by default, a demonstration leaves no folder, and other schemes are refused`()
        async throws
    {
        let origin = try OriginServer.start()
        defer { origin.stop() }
        let item = Item(url: origin.url("/a.png"), name: "a")
        for words in [[], ["--allow-private", "--live"]] {
            try await Stage.with(Options(parsing: words), [item]) { stage in
                // The origin, which has no such picture, is not asked unless the user says so.
                let error = await expectError(ImageLoadError.self) { try await stage.manager.image(from: item.url) }
                expectEqual(error?.code == .unacceptableStatus, !words.isEmpty)
                expectAll(stage.beginsWithBoard != words.isEmpty, stage.flights?.items.count == 1)
            }
        }
        var folder: String?
        try await Stage.with(Options(parsing: ["--count", "1", "--picture-size", "16x16", "--live"]), []) { stage in
            let image = try await stage.manager.image(from: stage.items[0].url)
            expectEqual(image.size, PixelSize(width: 16, height: 16))
            expectAll(stage.items.count == 1, stage.beginsWithBoard, stage.flights?.items.count == 10)
            // No picture of the board is an animation.
            expectEqual(stage.flights?.items.allSatisfy { $0.name == "jpeg" }, true)
            await stage.manager.flush()
            folder = await stage.manager.diskCache?.configuration.folder
            expect(FileManager.default.fileExists(atPath: folder ?? ""))
        }
        let path = try required(folder)
        expect(!FileManager.default.fileExists(atPath: path))
        for address in ["file:///etc/passwd", "ftp://example.org/a.png", "a.png"] {
            expectError(UsageError.self, "\(address)") {
                _ = try GalleryCommand(try Options(parsing: [address]))
            }
        }
    }
}
