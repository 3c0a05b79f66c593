// SPDX-License-Identifier: MIT
import Foundation
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import WebImageBinding

@MainActor
@Suite(.balancedOnMainActor, .timeLimit(.minutes(1)))
struct AnimationTests {
    let scene = Scene()

    private func play(_ image: DecodedImage, _ options: BindingOptions = .init()) {
        scene.loader.remember(image, for: url(1))
        scene.binding.load(url(1), options: options)
    }

    private func expectFrame(_ frame: Int, after duration: Duration) async {
        await scene.clock.pass(duration)
        await until { scene.target.frame == frame }
    }

    @Test
    func `frames are shown when they are due, again and again, up to the last loop, and a late player skips`() async {
        play(picture(1, frames: 3))
        expectEqual(scene.target.calls, [.show(1, in: .image)])
        for frame in [1, 2, 0, 1, 2, 0] { await expectFrame(frame, after: .milliseconds(100)) }
        expectEqual(scene.target.calls.count, 7)

        scene.renew()
        // A late player skips to the frame that is due.
        play(picture(1, frames: 10))
        await expectFrame(7, after: .milliseconds(750))
        await expectFrame(8, after: .milliseconds(50))
        expectEqual(scene.target.calls, [.show(1, in: .image), .frame(7), .frame(8)])

        scene.renew()
        // An animation ends after its last loop.
        play(picture(1, frames: 2, loopCount: 1))
        await expectFrame(1, after: .milliseconds(100))
        for _ in 0..<100 { await Task.yield() }
        expectEqual(scene.clock.sleepers, 0)
    }

    @Test func `the caller may set the number of loops, the rate and the order, or not play at all`() async {
        // The caller may set the number of loops, or not play at all.
        play(picture(1, frames: 2), options { $0.loopCount = 1 })
        await expectFrame(1, after: .milliseconds(100))
        for _ in 0..<100 { await Task.yield() }
        expectEqual(scene.clock.sleepers, 0)
        scene.binding.clear()
        play(picture(1, frames: 2), options { $0.playsAnimations = false })
        for _ in 0..<100 { await Task.yield() }
        expectEqual(scene.clock.sleepers, 0)

        scene.renew()
        // A preview does not play.
        scene.binding.load(url(1))
        scene.answer.send(.preview(picture(1, frames: 3)))
        await until { scene.target.index == 1 }
        for _ in 0..<100 { await Task.yield() }
        expectEqual(scene.clock.sleepers, 0)

        scene.renew()
        // The caller may set the rate and the order.
        play(
            picture(1, frames: 3),
            options {
                $0.playbackRate = 2
                $0.frameOrder = .reverse
            })
        expectEqual(scene.target.frame, 2)
        await expectFrame(1, after: .milliseconds(50))
        await expectFrame(0, after: .milliseconds(50))
    }

    @Test func `a hidden target pauses the animation at its frame, with or without a report, until it returns`() async {
        // A hidden target pauses the animation, which later continues at the same frame.
        play(picture(1, frames: 10))
        await expectFrame(1, after: .milliseconds(100))
        await until { scene.clock.started == 2 }
        scene.clock.advance(by: .milliseconds(30))
        scene.target.visibility = .hidden
        scene.binding.targetVisibilityChanged()
        scene.clock.advance(by: .milliseconds(500))
        scene.target.visibility = .visible
        scene.binding.targetVisibilityChanged()
        expectEqual(scene.target.frame, 1)
        await until { scene.clock.started == 3 }
        scene.clock.advance(by: .milliseconds(69))
        for _ in 0..<100 { await Task.yield() }
        expectEqual(scene.target.frame, 1)
        scene.clock.advance(by: .milliseconds(1))
        await until { scene.target.frame == 2 }

        scene.renew()
        // A target that hides without a report is noticed at the next frame, and its return within a second. Meanwhile
        // the animation has stood still.
        play(picture(1, frames: 7))
        scene.target.visibility = .near
        await scene.clock.pass(.milliseconds(100))
        await until { scene.clock.started == 2 }
        expectEqual(scene.target.frame, 0)
        scene.target.visibility = .visible
        await expectFrame(1, after: FramePlayer.hiddenInterval)
        await until { scene.clock.started == 3 }
        await expectFrame(2, after: .milliseconds(100))

        scene.renew()
        // A target that hid without a report gets its frame at once when it reports its return.
        play(picture(1, frames: 10))
        scene.target.visibility = .near
        await scene.clock.pass(.milliseconds(100))
        await until { scene.clock.started == 2 }
        scene.target.visibility = .visible
        scene.binding.targetVisibilityChanged()
        expectEqual(scene.target.frame, 1)
        await until { scene.clock.started == 3 }
        await expectFrame(2, after: .milliseconds(100))
    }

    @Test func `frames on demand are made ahead in tasks of their own, and shown when they are due`() async throws {
        let source = OnDemand()
        play(try DecodedImage(width: 1, height: 1, firstFrame: [1, 0, 0, 255], source: source, hasAlpha: false))
        for frame in [1, 2, 0] { await expectFrame(frame, after: .milliseconds(100)) }
        expectEqual(source.tasks.withLock { $0 }, ["animation frame"])
    }

    @Test(arguments: ["another picture", "emptied", "placeholder"])
    func `an animation ends when its slot shows something else`(_ how: String) async {
        play(picture(1, frames: 3))
        await until { scene.clock.sleepers == 1 }
        switch how {
        case "another picture":
            scene.loader.remember(picture(2), for: url(2))
            scene.binding.load(url(2))
        case "emptied": scene.binding.clear()
        default: scene.binding.load(url(3), options: options { $0.placeholder = .now(placeholder) })
        }
        await until { scene.clock.sleepers == 0 }
        scene.clock.advance(by: .seconds(1))
        for _ in 0..<100 { await Task.yield() }
        expect(!scene.target.calls.contains { if case .frame = $0 { true } else { false } })
    }

    @Test func `an animation continues while a late placeholder keeps it, and when its slot is cancelled`() async {
        play(picture(1, frames: 3))
        await until { scene.clock.sleepers == 1 }
        scene.binding.load(url(2), options: options { $0.placeholder = .late(nil) })
        await expectFrame(1, after: .milliseconds(100))
        scene.binding.cancel(.image)
        await expectFrame(2, after: .milliseconds(100))
    }

    @Test func `a target may end the animation from within a frame`() async {
        scene.loader.remember(picture(2), for: url(2))
        let target = StillTarget()
        let binding = ImageBinding(target: target, loader: scene.loader, clock: scene.clock)
        var animation = picture(1, frames: 3)
        animation.scale = 2
        scene.loader.remember(animation, for: url(1))
        binding.load(url(1))
        target.onFrame = { binding.load(url(2)) }
        await scene.clock.pass(.milliseconds(100))
        await until { target.index == 2 }
        for _ in 0..<100 { await Task.yield() }
        expectEqual(scene.clock.sleepers, 0)
        expectEqual(target.shown, [[1, 0], [1, 1], [2, 0]])
        // The first one of all may be shown within the call that begins the animation.
        binding.load(url(1), options: options { $0.frameOrder = .reverse })
        expectEqual(target.shown.suffix(3), [[1, 0], [1, 2], [2, 0]])
        // A still frame has the scale of its picture.
        expectEqual(target.scales, [2, 2, 1, 2, 2, 1])
        for _ in 0..<500 { await Task.yield() }
        expectEqual(scene.clock.sleepers, 0)
    }
}

/// A target with the default implementation for frames: it shows each as a still picture.
@MainActor
private final class StillTarget: ImageTarget {
    private(set) var shown: [[Int]] = []
    private(set) var scales: [Double] = []
    var onFrame: (@MainActor () -> Void)?
    var index: Int? { shown.last?.first }

    func show(_ picture: DecodedImage?, in slot: ImageSlot, transition: (any ImageTransition)?) {
        guard let picture else { return }
        shown.append([picture.index, picture.frameIndex])
        scales.append(picture.scale)
        if picture.frameIndex > 0 { onFrame?() }
    }
}

/// Three frames, and the names of the tasks that asked for them.
private final class OnDemand: FrameSource {
    let durations = [Duration](repeating: .milliseconds(100), count: 3)
    let byteCount = 0
    let tasks = Mutex(Set<String>())

    func pixels(at index: Int) -> [UInt8] {
        tasks.withLock { _ = $0.insert(Task.name ?? "none") }
        return [1, 0, UInt8(index), 255]
    }
}
