// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImageBinding

/// A target that owns its binding, as views do.
@MainActor
private final class OwningTarget: ImageTarget {
    let journal: Journal<Int?>
    private(set) var binding: ImageBinding?

    init(_ loader: some ViewImageLoading, _ journal: Journal<Int?>) {
        self.journal = journal
        binding = ImageBinding(target: self, loader: loader)
    }

    func show(_ picture: DecodedImage?, in slot: ImageSlot, transition: (any ImageTransition)?) {
        journal.write(picture?.index)
    }
}

@MainActor
@Suite(.balancedOnMainActor, .timeLimit(.minutes(1)))
struct LifetimeTests {
    let loader = ScriptedLoader()

    @Test func `the release of a target ends its binding and its loads, without callbacks`() async throws {
        let journal = Journal<Int?>()
        let heard = Heard()
        var target: OwningTarget? = OwningTarget(loader, journal)
        weak let gone = target
        weak let goneBinding = target?.binding
        let load = try required(target?.binding?.load(url(1), options: heard.options()))
        let task = try required(load.feed?.task)
        target = nil
        expectNil(gone)
        expectNil(goneBinding)
        try await expect(load.outcome.isCancelled)
        await until { loader.answers[0].wasLeft }
        loader.answers[0].finish(picture(1))
        await task.value
        expectEqual(journal.entries, [nil])
        expectEmpty(heard.words)
    }

    @Test func `a binding that outlives its target ends its loads with the next event, without callbacks`() async throws
    {
        let heard = Heard()
        var target: FakeTarget? = FakeTarget()
        let binding = ImageBinding(target: try required(target), loader: loader)
        let first = binding.load(url(1), options: heard.options())
        let second = binding.load(url(2), into: ImageSlot("badge"), options: heard.options())
        target = nil
        loader.answers[0].progress(1, of: 2)
        try await expect(first.outcome.isCancelled)
        try await expect(second.outcome.isCancelled)
        await until { loader.open.isEmpty }
        expectEqual(binding.load(url(3)).currentOutcome?.isCancelled, true)
        expectEqual(loader.answers.count, 2)
        expectEmpty(heard.words)
    }

    @Test func `a binding that outlives its target ends its loads at once when the target has a life`() async throws {
        final class Mortal: ImageTarget {
            let life: TargetLife? = TargetLife()
            func show(_ picture: DecodedImage?, in slot: ImageSlot, transition: (any ImageTransition)?) {}
        }
        let (heard, clock) = (Heard(), SpyClock())
        var target: Mortal? = Mortal()
        let bindings = try (0..<2).map { _ in
            ImageBinding(target: try required(target), loader: loader, clock: clock)
        }
        loader.remember(picture(9, frames: 2), for: url(9))
        bindings[1].load(url(9), into: .backgroundImage)
        await until { clock.sleepers == 1 }
        let loads = bindings.map { $0.load(url(1), options: heard.options()) }
        expectEqual(loads.map(\.hasEnded), [false, false])
        target = nil
        expectEqual(loads.map { $0.currentOutcome?.isCancelled }, [true, true])
        await until { loader.open.isEmpty && clock.sleepers == 0 }
        expectEmpty(heard.words)
    }

    @Test func `a binding that is released before its target cancels all its loads and calls back`() async throws {
        // A binding that is released before its target cancels its loads and calls back.
        do {
            let heard = Heard()
            let target = FakeTarget()
            var binding: ImageBinding? = ImageBinding(target: target, loader: loader)
            let load = try required(binding?.load(url(1), options: heard.options()))
            binding = nil
            try await expect(load.outcome.isCancelled)
            await until { loader.answers[0].wasLeft }
            expectEqual(heard.words, ["cancelled"])
        }

        // The release of a binding cancels replaced loads, too.
        do {
            let loader = ScriptedLoader()
            let heard = Heard()
            let target = FakeTarget()
            var binding: ImageBinding? = ImageBinding(target: target, loader: loader)
            let first = try required(binding?.load(url(1), options: heard.options("first ")))
            let second = try required(
                binding?.load(url(2), options: heard.options("second ") { $0.cancelsPreviousLoad = false }))
            expectEqual(binding?.entryCount, 3, "a load that was replaced, and two subscriptions")
            binding = nil
            try await expect(first.outcome.isCancelled)
            try await expect(second.outcome.isCancelled)
            await until { loader.open.isEmpty }
            expectEqual(heard.words.sorted(), ["first cancelled", "second cancelled"])
        }
    }

    @Test func `a binding is released while an animation plays and an indicator is visible`() async throws {
        let clock = ManualClock()
        let target = FakeTarget()
        let indicator = FakeIndicator()
        var binding: ImageBinding? = ImageBinding(target: target, loader: loader, clock: clock)
        weak let gone = binding
        binding?.setIndicator(indicator, minimumTime: .seconds(5))
        let load = try required(binding?.load(url(1)))
        loader.answers[0].finish(picture(1, frames: 3))
        _ = try await load.outcome
        await until { clock.sleepers == 2 }
        binding = nil
        await until { clock.sleepers == 0 }
        expectNil(gone)
        expect(!indicator.isShown)
    }
}
