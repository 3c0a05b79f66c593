// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import WebImageBinding

/// Events of an application, a target, a gate and a loader, in many orders.
@MainActor
@Suite(.balancedOnMainActor, .timeLimit(.minutes(2)))
struct OrderTests {
    /// A slot and all that happens around it.
    @MainActor
    private final class Play {
        let (loader, clock, application) = (ScriptedLoader(), SpyClock(), ApplicationStage())
        let (timing, indicator) = (FakeTiming(), FakeIndicator())
        let gate: ScrollGate
        let binding: ImageBinding
        var target: FakeTarget?
        var dice: SeededGenerator
        /// The loads of the program, and what each is of.
        var loads: [(load: BoundLoad, number: Int)] = []
        /// Whether the program has emptied the slot since its last load.
        var isClear = true
        var ends = 0

        init(seed: UInt64) {
            dice = SeededGenerator(seed: seed)
            let target = FakeTarget()
            self.target = target
            gate = ScrollGate(limit: 1, clock: clock)
            binding = ImageBinding(target: target, loader: loader, clock: clock, application: application)
            binding.setIndicator(indicator)
            application.backgroundTime = timing
            timing.grants = seed.isMultiple(of: 2)
        }

        func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &dice) }

        func load() {
            let number = pick(3)
            var options = BindingOptions()
            options.cancelsPreviousLoad = pick(3) > 0
            options.whenHidden = BindingOptions.HiddenPolicy.allCases[pick(3)]
            options.gate = pick(2) == 0 ? gate : nil
            options.continuesInBackground = pick(2) == 0
            options.placeholder = [.none, .now(placeholder), .late(nil), .previous(nil)][pick(4)]
            options.onEnd = { [weak self] _ in self?.ends += 1 }
            if pick(4) == 0 { loader.remember(picture(number), for: url(number)) }
            isClear = false
            loads.append((binding.load(url(number), options: options), number))
        }

        func finish(_ answer: Answer) {
            for number in 0..<3 where answer.request.url == url(number) { answer.finish(picture(number)) }
        }

        func step() async {
            let open = loader.open
            switch pick(12) {
            case 0, 1: load()
            case 2 where !open.isEmpty: finish(open[pick(open.count)])
            case 3 where !open.isEmpty: open[pick(open.count)].fail()
            case 4 where !open.isEmpty: open[pick(open.count)].progress(pick(10), of: 10)
            case 5, 6:
                target?.visibility = TargetVisibility.allCases[pick(3)]
                binding.targetVisibilityChanged()
            case 7: if pick(2) == 0 { application.resignActive() } else { application.becomeActive() }
            case 8: application.releasePictures()
            case 9: application.enterForeground()
            case 10: gate.scrolled(by: pick(2) == 0 ? 9 : 0)
            case 11 where pick(3) == 0:
                isClear = isClear || pick(2) == 0
                if isClear { binding.clear() } else { binding.cancel(.image) }
            case 11 where pick(3) == 0: timing.running.values.forEach { $0() }
            default: for _ in 0..<pick(20) { await Task.yield() }
            }
        }

        /// All is there again, and each load gets its picture.
        func settle() async {
            for _ in 0..<20 { await Task.yield() }
            target?.visibility = .visible
            gate.scrolled(by: 0)
            application.becomeActive()
            application.enterForeground()
            binding.targetVisibilityChanged()
            while binding.isLoading, !Task.isCancelled {
                loader.open.forEach(finish)
                await Task.yield()
            }
            for _ in 0..<20 { await Task.yield() }
        }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `after any order of events the slot shows what was asked for last, and nothing goes on`(seed: UInt64) async {
        let play = Play(seed: seed)
        for _ in 0..<40 { await play.step() }
        await play.settle()
        await until { play.loader.open.isEmpty && play.clock.sleepers == 0 }
        expectAll(play.binding.entryCount == 0, !play.indicator.isShown, play.timing.running.isEmpty)
        expectAll(play.loads.allSatisfy(\.load.hasEnded), play.ends == play.loads.count)
        guard let last = play.loads.last, !play.isClear else { return expectNil(play.target?.index) }
        switch last.load.currentOutcome {
        case .finished: expectEqual(play.target?.index, last.number, "seed \(seed)")
        case .failed: expect([nil, placeholder.index].contains(play.target?.index), "seed \(seed)")
        default: break
        }
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `after any order of events a target that goes ends everything at the next one`(seed: UInt64) async {
        let play = Play(seed: seed)
        for _ in 0..<40 { await play.step() }
        play.target = nil
        await until { play.binding.target == nil }
        let ends = play.ends
        play.application.releasePictures()
        play.gate.scrolled(by: 0)
        expectAll(play.loads.allSatisfy(\.load.hasEnded), play.ends == ends, !play.binding.isLoading)
        expectAll(play.binding.entryCount == 0, !play.indicator.isShown, play.timing.running.isEmpty)
        await until { play.loader.open.isEmpty && play.clock.sleepers == 0 }
        play.application.enterForeground()
        expectEmpty(play.loader.open)
    }
}
