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
            for (text, item) in [("g 17 enter", 16), ("g 999 enter", 59), ("right", 59), ("g 0 enter", 0), ("up", 0)] {
                try press(text, in: gallery)
                expectEqual(gallery.selected, item, "\(text)")
            }
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
                expect(gallery.prefetcher.pending.isSubset(of: gallery.grid.near(top: gallery.top)))
            }
            expect(!gallery.prefetcher.pending.isEmpty)
            try press("p", in: gallery)
            expectEmpty(gallery.prefetcher.pending)
            try press("p", in: gallery)
            expect(!gallery.prefetcher.pending.isEmpty)
            await gallery.displayed()
        }
    }

    @Test func `behind a zoomed picture the others wait, and go on afterwards`() async throws {
        try await withStage { stage in
            let gallery = gallery(stage)
            try press("enter", in: gallery)
            expectAll(gallery.cells.allSatisfy { $0.visibility == .hidden }, gallery.zoomCell.visibility == .visible)
            expectEqual(gallery.zoomCell.item?.url, stage.items[0].url)
            while gallery.zoomCell.picture == nil { await Task.yield() }
            while await stage.manager.occupancy.callers > 0 {}
            // What is zoomed is asked for at its origin again.
            let activities = stage.manager.activities()
            try press("r", in: gallery)
            for await activity in activities where activity.url == stage.items[0].url {
                if case .started = activity.kind { break }
            }
            try press("right", in: gallery)
            expectEqual(gallery.zoomCell.item?.url, stage.items[1].url)
            try press("escape", in: gallery)
            expectAll(gallery.cells.allSatisfy { $0.visibility == .visible }, gallery.zoomCell.visibility == .hidden)
            expectNil(gallery.zoomCell.item?.url)
            expectNil(gallery.zoomCell.picture)
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
        try await Stage.with(Options(parsing: []), [item]) { stage in
            // The origin, which has no such picture, is not asked.
            let error = await expectError(ImageLoadError.self) { try await stage.manager.image(from: item.url) }
            expect(error?.code != .unacceptableStatus)
        }
        var folder: String?
        try await Stage.with(Options(parsing: ["--count", "1", "--picture-size", "16x16"]), []) { stage in
            _ = try await stage.manager.image(from: stage.items[0].url)
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
