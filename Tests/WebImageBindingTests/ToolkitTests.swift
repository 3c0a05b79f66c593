// SPDX-License-Identifier: MIT
import Foundation
import Observation
import TestSupport
import Testing
import WebImage
import WebImageTesting

@testable import ImageCoding
@testable import WebImageBinding

/// What the targets of UIKit, AppKit and SwiftUI have in common, and the observer of an application does.
@MainActor
@Suite(.balancedOnMainActor, .timeLimit(.minutes(1)))
struct ToolkitTests {
    private let loader = ScriptedLoader()

    private func observed() -> ObservedTarget<[Int]> { ObservedTarget { [$0.index, $0.frameIndex] } }

    @Test func `a view made from state shows what its toolkit makes of frames, and loads as it appears`() async throws {
        // A view made from state shows what its toolkit makes of a picture and of its frames.
        let target = observed()
        let animation = picture(1, frames: 3)
        loader.remember(animation, for: url(1))
        target.load(request(1), with: loader)
        expectEqual(target.picture, [1, 0])
        target.showFrame(PlayedFrame(index: 2, loop: 0, frame: try animation.frame(at: 2)), of: animation, in: .image)
        expectEqual(target.picture, [1, 2])
        target.load(nil, with: loader)
        expectNil(target.picture)

        // A view made from state keeps its first loader, and its load follows its appearance.
        do {
            let loader = ScriptedLoader()
            let target = observed()
            target.load(request(1), with: loader)
            target.isVisible = false
            target.isVisible = false
            expectEqual(loader.answers.map(\.request.priority), [.normal, .veryLow])
            target.isVisible = true
            target.load(request(2), with: ScriptedLoader())
            expectEqual(loader.answers.last?.request.url, url(2))
            loader.answers.last?.finish(picture(2))
            await until { target.picture == [2, 0] }
        }
    }

    @Test func `a view made from state has the phases of its load, animates transitions, and passes its options on`()
        async throws
    {
        let (heard, animated) = (Heard(), Journal<Duration>())
        let target = ObservedTarget<Int>(
            animate: { transition, change in
                animated.write(transition.duration)
                change()
            }) { $0.index }
        func load(_ number: Int?, _ change: (inout BindingOptions) -> Void = { _ in }) {
            target.load(number.map { request($0) }, options: heard.options("", change), with: loader)
        }
        expectAll(target.phase.picture == nil, target.phase.error == nil)
        load(1) { $0.transition = PresetTransition(.fade, duration: .milliseconds(70)) }
        loader.answers[0].finish(picture(1))
        await until { target.phase.picture == 1 }
        expectEqual(animated.entries, [.milliseconds(70)])

        // A failure without a picture is a phase, and ends with the next load.
        load(2)
        expectNil(target.phase.picture)
        loader.answers[1].fail()
        await until { target.phase.error != nil }
        expectEqual((target.phase.error as? ImageLoadError)?.code, .transferFailed)
        load(3) { ($0.failurePicture, $0.placeholder) = (failurePicture, .late(nil)) }
        expectAll(target.phase.picture == nil, target.phase.error == nil)

        // A failure with a picture shows the picture.
        loader.answers[2].fail()
        await until { target.phase.picture == failurePicture.index }
        expectNil(target.phase.error)
        load(nil)
        expectNil(target.phase.picture)
        expectEqual(heard.words, ["final 1", "finished", "failed", "failed", "noRequest"])
        expectEqual(animated.entries.count, 1)
    }

    @Test func `a view made from state has the phase of its own load, also of one that its return has begun`() async {
        // A failure on return from the background is a phase, and so is the picture that comes at last.
        let (target, stage) = (ObservedTarget<Int> { $0.index }, ApplicationStage.shared)
        loader.remember(picture(1), for: url(1))
        target.load(request(1), with: loader)
        target.isVisible = false
        stage.releasePictures()
        expectAll(target.phase.picture == nil, target.phase.error == nil)
        loader.forget(url(1))
        stage.enterForeground()
        loader.answers[0].fail()
        await until { target.phase.error != nil }
        target.isVisible = true
        expectNil(target.phase.error)
        loader.answers[1].finish(picture(1))
        await until { target.phase.picture == 1 }

        // The late failure of a load that was replaced is none of the present one.
        let heard = Heard()
        target.load(request(2), options: heard.options(), with: loader)
        target.load(request(3), options: options { $0.cancelsPreviousLoad = false }, with: loader)
        loader.answers[2].fail()
        await until { heard.words == ["failed"] }
        expectNil(target.phase.error)
        loader.answers[3].fail()
        await until { target.phase.error != nil }

        // A view follows its phase, also when it has been drawn before its first load.
        for target in [target, ObservedTarget<Int> { $0.index }] {
            let told = Journal<Bool>()
            withObservationTracking {
                _ = target.phase
            } onChange: {
                told.write(true)
            }
            target.load(request(4), options: options { $0.placeholder = .late(nil) }, with: loader)
            expectEqual(told.entries, [true])
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `a view is visible in a window, not hidden and not transparent`(_ isInWindow: Bool, _ isHidden: Bool) {
        for opacity in [0, 0.5, 1] {
            let isVisible = isInWindow && !isHidden && opacity > 0
            let visibility = TargetVisibility(isInWindow: isInWindow, isHidden: isHidden, opacity: opacity)
            expectEqual((visibility == .visible), isVisible)
        }
    }

    @Test func `a toolkit knows the style of a preset, and fades for any other transition`() {
        expectEqual(PresetTransition(.curlUp, duration: .milliseconds(250)).style, .curlUp)
        expectEqual(PresetTransition(.curlUp, duration: .milliseconds(250)).seconds, 0.25)
        expectEqual(FakeTransition().style, .fade)
    }

    @Test
    func `memory is given back on a warning and in the background, where pictures are on disk, and all at the end`()
        async throws
    {
        // Memory is given back on a warning, and nine tenths of it in the background.
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        await withImageManager(configuration) { manager in
            let life = ApplicationLife(manager: manager)
            for index in 0..<20 { await manager.store(picture(index), for: request(index)) }
            let full = manager.memoryStatistics.cost
            await life.background()
            expect((1...full / 10).contains(manager.memoryStatistics.cost))
            await life.memoryWarning()
            expectEqual(manager.memoryStatistics.cost, 0)
        }

        // An application that leaves the screen has its pictures on the disk.
        do {
            let folder = FileManager.default.temporaryDirectory.appending(path: "toolkit-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            var configuration = ImageManager.Configuration()
            configuration.disk = DiskCache.Configuration(folder: folder.path)
            let file = try ImageFactory.encoded(width: 8, height: 8, seed: 3, as: .png)
            try await withImageManager(configuration) { manager in
                try await manager.store(file, for: request(1))
                await ApplicationLife(manager: manager).background()
                await expectEqual(manager.diskCache?.entryCount, 1)
            }
            // What is too old is removed.
            configuration.disk?.maximumAge = .zero
            await withImageManager(configuration) { manager in
                await ApplicationLife(manager: manager).background()
                await expectEqual(manager.diskCache?.entryCount, 0)
            }
        }

        // The end of an application is the end of its manager.
        do {
            var configuration = ImageManager.Configuration()
            configuration.disk = nil
            let manager = ImageManager(configuration: configuration)
            ApplicationLife(manager: manager).termination()
            let error = await expectError(ImageLoadError.self) { try await manager.image(for: request(1)) }
            expectEqual(error?.code, .shutDown)
        }
    }

    /// A store whose writes wait.
    private struct SlowStore: CacheStoring {
        let gate = Gate()
        let stored = Journal<CacheKey>()

        func entry(for key: CacheKey) -> DiskEntry? { nil }
        func store(_ entry: DiskEntry, for key: CacheKey) async -> StoreOutcome {
            await gate.pass()
            stored.write(key)
            return .stored
        }
        func renew(
            _ key: CacheKey, ifContentIs generation: ContentGeneration?,
            _ change: @escaping @Sendable (inout EntryMetadata) -> Void
        ) -> StoreOutcome? { nil }
        func remove(_ key: CacheKey) {}
        func removeAll() {}
        func shutdown(within limit: Duration) -> CacheShutdownReport {
            CacheShutdownReport(completedOperations: 0, abandonedOperations: 0)
        }
    }

    @Test func `an application that leaves the screen waits for what is being written`() async throws {
        let (store, file) = (SlowStore(), try ImageFactory.encoded(width: 8, height: 8, seed: 3, as: .png))
        let transport = StubLoader { _, _ in .ok(file, type: "image/png") }
        let manager = ImageManager(caches: ImageCaches(disk: store), transport: transport)
        _ = try await manager.load(request(1))
        let life = ApplicationLife(manager: manager)
        let background = Task {
            await life.background()
            return store.stored.count
        }
        await store.gate.reached()
        for _ in 0..<500 { await Task.yield() }
        store.gate.open()
        await expectEqual(background.value, 1)
        _ = await manager.shutdown(within: .seconds(10))
    }
}
