// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImageBinding

/// What bindings do as their application leaves the screen and returns.
@MainActor
@Suite(.balancedOnMainActor, .timeLimit(.minutes(1)))
struct ApplicationTests {
    let scene = Scene()

    @Test func `animations stand still while the application is not in use, and go on at their frame`() async {
        scene.loader.remember(picture(1, frames: 10), for: url(1))
        scene.binding.load(url(1))
        await scene.clock.pass(.milliseconds(100))
        await until { scene.target.frame == 1 }
        await until { scene.clock.started == 2 }
        scene.application.resignActive()
        scene.clock.advance(by: .milliseconds(30_500))
        for _ in 0..<100 { await Task.yield() }
        expectEqual(scene.target.frame, 1)
        scene.application.becomeActive()
        await until { scene.clock.sleepers == 1 }
        scene.clock.advance(by: .milliseconds(100))
        await until { scene.target.frame == 2 }
    }

    @Test func `hidden targets give their pictures back, and have them again on return, or when they appear`()
        async throws
    {
        let heard = Heard()
        let load = scene.binding.load(request(1, priority: .high), options: heard.options())
        scene.answer.finish(picture(1))
        _ = try await load.outcome
        // A visible target keeps its picture.
        scene.application.releasePictures()
        expectEqual(scene.target.index, 1)

        for appears in [false, true] {
            scene.target.visibility = .hidden
            scene.binding.targetVisibilityChanged()
            scene.application.releasePictures()
            expectNil(scene.target.index)
            expectNil(scene.binding.picture())
            expectEqual(scene.loader.open.count, 0)
            if appears {
                scene.target.visibility = .visible
                scene.binding.targetVisibilityChanged()
            } else {
                scene.application.enterForeground()
            }
            expectEqual(scene.answer.request.priority, appears ? .high : .veryLow)
            scene.answer.finish(picture(1))
            await until { scene.target.index == 1 }
        }
        expectEqual(scene.loader.answers.count, 3)
        // The callbacks were those of the first load.
        expectEqual(heard.words, ["final 1", "finished"])
        scene.application.enterForeground()
        expectEqual(scene.loader.answers.count, 3)
    }

    @Test func `what a slot has been given since, or loads, is not replaced by what it gave back`() async throws {
        scene.target.visibility = .hidden
        let running = scene.binding.load(url(7), into: .backgroundImage)
        try await scene.finish(1)
        try await scene.finish(2, options: options { $0.placeholder = .now(placeholder) })
        let late = scene.binding.load(url(5), options: options { $0.placeholder = .late(nil) })
        scene.application.releasePictures()
        expectEqual(scene.target.index, 2)
        late.cancel()
        scene.application.releasePictures()
        expectNil(scene.target.index)
        expect(!running.hasEnded)
        let next = scene.binding.load(url(3))
        scene.application.enterForeground()
        expect(!next.hasEnded)
        scene.application.releasePictures()
        scene.answer.finish(picture(3))
        _ = try await next.outcome
        scene.application.releasePictures()
        scene.binding.clear()
        let count = scene.loader.answers.count
        scene.application.enterForeground()
        expectEqual(scene.loader.answers.count, count)
        expectEqual(scene.application.entryCount, 1)
        running.cancel()
    }

    @Test func `a load asks for time in the background, gives it back at its end, and ends with it`() async throws {
        let timing = FakeTiming()
        let patient = options { $0.continuesInBackground = true }
        scene.application.backgroundTime = timing
        timing.timeRemaining = .seconds(30)
        expectEqual(scene.application.timeRemaining, .seconds(30))

        // Only a load that says so, and that has to wait.
        scene.loader.remember(picture(9), for: url(9))
        scene.binding.load(url(9), options: patient)
        scene.binding.load(url(8))
        expectEqual(timing.begun, 0)

        // One time for the load, whatever its priority.
        var load = scene.binding.load(url(1), options: patient)
        scene.target.visibility = .near
        scene.binding.targetVisibilityChanged()
        expectEqual(timing.begun, 1)
        scene.answer.finish(picture(1))
        _ = try await load.outcome
        expectEqual(timing.ended, [1])

        // Time that is over cancels the load.
        load = scene.binding.load(url(2), options: patient)
        timing.running[2]?()
        try await expect(load.outcome.isCancelled)
        expectEqual(timing.ended, [1, 2])
        // What it should have brought comes when the application returns.
        let count = scene.loader.answers.count
        scene.application.enterForeground()
        expectEqual(scene.loader.answers.count, count + 1)
        expectEqual(timing.begun, 3)
        scene.binding.cancelAll()
        scene.application.enterForeground()
        expectEqual(scene.loader.answers.count, count + 1)

        // A transfer that another load takes over keeps the application running, as does one without a grant.
        let first = scene.binding.load(url(3))
        load = scene.binding.load(url(3), options: patient)
        expectAll(first.hasEnded, timing.running.count == 1)
        load.cancel()
        expectEqual(timing.ended, [1, 2, 3, 4])
        timing.grants = false
        try await scene.finish(4, options: patient)
        expectEqual([timing.begun, timing.ended.count], [4, 4])
    }

    @Test(arguments: [true, false])
    func `a load that has its result needs no time in the background, though its group waits`(fails: Bool)
        async throws
    {
        let timing = FakeTiming()
        scene.application.backgroundTime = timing
        let group = ImageLoadGroup(showsTogether: true) { group in
            for (index, slot) in [ImageSlot.image, .backgroundImage].enumerated() {
                let options = options { ($0.group, $0.continuesInBackground) = (group, true) }
                scene.binding.load(url(index), into: slot, options: options)
            }
        }
        if fails { scene.answer.fail() } else { scene.answer.finish(picture(1)) }
        await until { scene.binding.load(of: .backgroundImage)?.hasLanded == true }
        expectEqual(timing.ended, [2])
        expectEqual(scene.binding.entryCount, 1)
        scene.loader.answers[0].finish(picture(0))
        try await expectEqual(group.outcomes.count, 2)
        expectEqual(timing.ended, [2, 1])
    }

    @Test func `a stage forgets the bindings that are released`() {
        let application = ApplicationStage()
        let target = FakeTarget()
        var binding: ImageBinding? = ImageBinding(target: target, loader: scene.loader, application: application)
        expectAll(application.entryCount == 1, binding != nil)
        binding = nil
        expectEqual(application.entryCount, 0)
    }
}
