// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import WebImageBinding

/// What a slot shows after its application, its target, its gate and its loads have come and gone in any order.
@MainActor
@Suite(.balancedOnMainActor, .timeLimit(.minutes(1)))
struct ReturnTests {
    let scene = Scene()

    /// Hides the target and takes its picture.
    private func release() {
        scene.target.visibility = .hidden
        scene.binding.targetVisibilityChanged()
        scene.application.releasePictures()
    }

    @Test(arguments: [false, true])
    func `a slot that is cancelled takes back nothing that it has given away`(isUnderWay: Bool) async throws {
        let first = scene.binding.load(request(1, .refreshCached))
        scene.answer.finish(picture(1))
        _ = try await first.outcome
        release()
        if isUnderWay { scene.application.enterForeground() }
        let count = scene.loader.answers.count
        scene.binding.cancelAll()
        scene.application.enterForeground()
        appear()
        expectEqual(scene.loader.answers.count, count)
        expect(!scene.binding.isLoading)
    }

    private func appear() {
        scene.target.visibility = .visible
        scene.binding.targetVisibilityChanged()
    }

    @Test func `a picture that fails to come back is tried again at the next return, until it is there`() async throws {
        let first = scene.binding.load(request(1, .refreshCached))
        scene.answer.finish(picture(1))
        _ = try await first.outcome
        release()
        scene.application.enterForeground()
        scene.answer.send(.preview(picture(11)))
        await until { scene.target.index == 11 }
        // One load at a time.
        let again = scene.binding.load(of: .image)
        appear()
        let count = scene.loader.answers.count
        scene.binding.targetVisibilityChanged()
        expectEqual(scene.loader.answers.count, count)
        expect(scene.binding.load(of: .image) === again)
        scene.loader.open.forEach { $0.fail() }
        await until { !scene.binding.isLoading }
        scene.application.enterForeground()
        expectEqual(scene.loader.answers.count, count + 1)
        scene.answer.finish(picture(1))
        await until { scene.target.index == 1 && !scene.binding.isLoading }
        scene.application.enterForeground()
        expectEqual(scene.loader.answers.count, count + 1)
        // A load of the program's own is not tried again, nor what the slot has given back before it.
        release()
        let load = scene.binding.load(url(2))
        scene.answer.fail()
        _ = try await load.outcome
        scene.application.enterForeground()
        expectEqual(scene.loader.answers.count, count + 2)
    }

    @Test func `a load that was replaced and not cancelled goes on when the target appears, without the indicator`()
        async throws
    {
        let (indicator, gate) = (FakeIndicator(), ScrollGate(limit: 1, clock: scene.clock))
        scene.binding.setIndicator(indicator)
        scene.target.visibility = .hidden
        gate.scrolled(by: 9)
        let paused = scene.binding.load(url(1), options: options { $0.whenHidden = .pauses })
        let held = scene.binding.load(
            url(2),
            options: options {
                $0.gate = gate
                $0.cancelsPreviousLoad = false
            })
        scene.loader.remember(picture(3), for: url(3))
        scene.binding.load(url(3), options: options { $0.cancelsPreviousLoad = false })
        expectEqual(scene.target.index, 3)
        expectEqual(scene.loader.answers.count, 0)
        expect(scene.binding.isLoading)
        appear()
        gate.scrolled(by: 0)
        expectEqual(scene.loader.answers.map(\.request.url), [url(1), url(2)])
        expectEqual(indicator.calls, [])
        scene.loader.answers[0].finish(picture(1))
        scene.loader.answers[1].fail()
        try await expectEqual(paused.outcome.picture?.image.index, 1)
        try await expectEqual(held.outcome.word, "failed")
        expectEqual(scene.target.index, 3)
        expect(!scene.binding.isLoading)
    }

    @Test func `a load that hears nothing ends when its target is gone and its gate or its application speaks`() throws
    {
        for isHeld in [true, false] {
            let (gate, heard) = (ScrollGate(limit: 1, clock: scene.clock), Heard())
            var target: FakeTarget? = FakeTarget()
            let binding = ImageBinding(
                target: try required(target), loader: scene.loader, clock: scene.clock, application: scene.application)
            target?.visibility = .hidden
            if isHeld { gate.scrolled(by: 9) }
            let load = binding.load(
                url(1),
                options: heard.options {
                    $0.gate = gate
                    $0.whenHidden = isHeld ? .continues : .pauses
                })
            expectEqual(binding.entryCount, 0)
            target = nil
            if isHeld { gate.scrolled(by: 0) } else { scene.application.releasePictures() }
            expectEqual(load.currentOutcome?.isCancelled, true)
            expectEmpty(heard.words)
        }
        expectEmpty(scene.loader.answers)
    }

    @Test func `an animation whose target is gone ends at its next look at the target`() async throws {
        var target: FakeTarget? = FakeTarget()
        let binding = ImageBinding(target: try required(target), loader: scene.loader, clock: scene.clock)
        scene.loader.remember(picture(1, frames: 3), for: url(1))
        binding.load(url(1))
        await until { scene.clock.sleepers == 1 }
        target = nil
        scene.clock.advance(by: .milliseconds(100))
        await until { binding.picture() == nil }
        await until { scene.clock.sleepers == 0 }
    }

    @Test func `time in the background that is over as it begins ends its load, and is given back`() {
        let timing = FakeTiming()
        timing.isOver = true
        scene.application.backgroundTime = timing
        let load = scene.binding.load(url(1), options: options { $0.continuesInBackground = true })
        expectEqual(load.currentOutcome?.isCancelled, true)
        expectEmpty(scene.loader.answers)
        expectEqual(timing.ended, [1])
        // So is one that is over later, once, though its owner keeps it.
        timing.isOver = false
        var time: BackgroundTime? = BackgroundTime("picture", timing)
        timing.running[2]?()
        expectEqual(timing.ended, [1, 2])
        expect(time != nil)
        time = nil
        expectEqual(timing.ended, [1, 2])
    }

    @Test(arguments: [false, true])
    func `a picture that is loaded as its slot is cleared stays, also one from memory`(isInMemory: Bool) async {
        if isInMemory { scene.loader.remember(picture(2), for: url(2)) }
        let options = options { options in
            options.onEnd = { [scene] _ in scene.binding.load(url(2)) }
        }
        scene.binding.load(url(1), options: options)
        scene.binding.clear()
        if !isInMemory { scene.answer.finish(picture(2)) }
        await until { scene.target.index == 2 && !scene.binding.isLoading }
        scene.binding.clear()
        expectNil(scene.target.index)
    }

    @Test func `the life of a target forgets the bindings that are released before it`() {
        let life = TargetLife()
        for _ in 0..<100 {
            let binding = ImageBinding(target: scene.target, loader: scene.loader, application: scene.application)
            life.enter(binding)
        }
        expectEqual(life.entryCount, 1)
    }
}
