// SPDX-License-Identifier: MIT
import Foundation
import Observation
import TestSupport
import Testing
import WebImageBinding

/// The examples in the module's documentation, word for word.
@MainActor
@Suite(.balancedOnMainActor, .timeLimit(.minutes(1)))
struct DocumentationTests {
    @MainActor
    final class Cell: ImageTarget {
        private(set) lazy var pictures = ImageBinding(
            target: self, loader: manager)
        private let manager: any ViewImageLoading

        init(_ manager: any ViewImageLoading) { self.manager = manager }

        func present(_ url: URL?) { pictures.load(url) }

        func show(
            _ picture: DecodedImage?, in slot: ImageSlot,
            transition: (any ImageTransition)?
        ) {
            // Draw it; nil empties the slot.
            drawn.append(picture)
        }

        private(set) var drawn: [DecodedImage?] = []
    }

    @Test func `a cell shows the picture of its item`() async throws {
        let loader = ScriptedLoader()
        let cell = Cell(loader)
        loader.remember(picture(1), for: url(1))
        cell.present(url(1))
        #expect(cell.drawn.map { $0?.index } == [1])
    }

    @Test func `options say what is shown meanwhile`() async throws {
        let loader = ScriptedLoader()
        let cell = Cell(loader)
        let (grey, broken, bar, pictures, url) = (picture(2), picture(3), FakeIndicator(), cell.pictures, url(1))
        var outcomes: [LoadOutcome] = []

        var options = BindingOptions()
        options.placeholder = .now(grey)
        options.failurePicture = broken
        options.transition = .fade
        options.onEnd = { outcome in outcomes.append(outcome) }
        pictures.setIndicator(bar, minimumTime: .milliseconds(300))
        pictures.load(url, options: options)
        #expect(cell.drawn.map { $0?.index } == [2])

        let box = PixelSize(width: 320, height: 240)
        let request = ImageRequest(
            url, transformers: [.resize(to: box, mode: .fit)])
        pictures.load(request)
        #expect(outcomes.first?.isCancelled == true)
        pictures.cancelAll()
    }

    @Test func `the state of a slot is a sequence`() async throws {
        let loader = ScriptedLoader()
        let cell = Cell(loader)
        let (pictures, bar) = (cell.pictures, FakeIndicator())
        loader.remember(picture(1), for: url(1))
        pictures.load(url(1))

        let state = pictures.state()
        for await fraction in Observations({ state.fraction }) {
            bar.update(fraction)
            if fraction == 1 { break }
        }
        #expect(bar.calls == [.update(1)])
    }

    @Test func `previews blend into each other, and fast scrolling pauses what is loaded ahead`() async throws {
        let loader = ScriptedLoader()
        let cell = Cell(loader)
        let (pictures, url) = (cell.pictures, url(1))

        var sharpening = ImageRequest(url)
        let small = PixelSize(width: 320, height: 240)
        sharpening.previews = PreviewOptions(size: small)
        var blended = BindingOptions()
        blended.previewTransition = PresetTransition(
            .fade, duration: .milliseconds(150))
        pictures.load(sharpening, options: blended)
        loader.answers[0].send(.preview(picture(11)))
        await until { cell.drawn.last??.index == 11 }
        pictures.cancelAll()

        let prefetcher = ListPrefetcher<Int>(loader: loader) { _ in [] }
        let gate = ScrollGate(limit: 10)
        gate.onChange = { isOpen in prefetcher.isPaused = !isOpen }
        gate.scrolled(by: 3)
        expect(prefetcher.isPaused)
    }

    @MainActor
    final class Badge: ImageTarget {
        let life: TargetLife? = TargetLife()

        func show(
            _ picture: DecodedImage?, in slot: ImageSlot,
            transition: (any ImageTransition)?
        ) {}
    }

    @Test func `options of a binding hold for every load, and an application tells its bindings where it is`() {
        let (loader, badge, grey) = (ScriptedLoader(), Badge(), picture(2))
        let pictures = ImageBinding(target: badge, loader: loader)
        expect(badge.life != nil)

        pictures.defaultOptions.placeholder = .anySize(grey)
        pictures.defaultOptions.changeRequest = { request in
            request.transformers.append(.circle)
        }
        pictures.load(url(1))
        expectEqual(loader.answers[0].request.transformers.count, 1)
        pictures.cancelAll()

        let application = ApplicationStage.shared
        application.resignActive()  // animations stand still
        application.releasePictures()  // hidden targets are emptied
        application.enterForeground()  // and loaded again
        application.becomeActive()
        expect(application.isActive)
    }

    @Test func `what views of SDWebImage choose is in the options of a binding`() async throws {
        let loader = ScriptedLoader()
        let cell = Cell(loader)
        let (grey, pictures, url) = (picture(2), cell.pictures, url(1))
        loader.remember(picture(1), for: url)
        var arrived: [DecodedImage] = []

        var options = BindingOptions()
        // DelayPlaceholder
        options.placeholder = .late(grey)
        // AvoidAutoSetImage
        options.showsPictures = false
        options.onPicture = { picture in arrived.append(picture.image) }
        // AvoidAutoCancelImage
        options.cancelsPreviousLoad = false
        // ForceTransition
        options.transition = PresetTransition(.fade, trigger: .always)
        // WaitTransition
        options.waitsForTransition = true
        // setImageOperationKey
        pictures.load(url, into: ImageSlot("badge"), options: options)
        #expect(arrived.map(\.index) == [1])
        expectEmpty(cell.drawn)
    }
}
