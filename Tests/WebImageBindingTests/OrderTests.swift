// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import WebImageBinding

/// Events of an application, a target, a gate and a loader, in many orders.
@MainActor
@Suite(.balancedOnMainActor, .timeLimit(.minutes(2)))
struct OrderTests {
    /// Two slots and all that happens around them.
    @MainActor
    private final class Play {
        let (loader, clock, application) = (ScriptedLoader(), SpyClock(), ApplicationStage())
        let (timing, indicator) = (FakeTiming(), FakeIndicator())
        let gate: ScrollGate
        let binding: ImageBinding
        var target: FakeTarget?
        var dice: SeededGenerator
        /// The loads of the program in the order in which they began, and what each is of.
        var loads: [(load: BoundLoad?, number: Int, slot: ImageSlot)] = []
        /// The slots that the program has emptied since their last load.
        var clear: Set<ImageSlot> = [.image, .backgroundImage]
        /// The slots that the program has cancelled since: what they had given back does not come again.
        var cancelled: Set<ImageSlot> = []
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

        func pickSlot() -> ImageSlot { pick(3) == 0 ? .backgroundImage : .image }

        func options() -> BindingOptions {
            var options = BindingOptions()
            options.cancelsPreviousLoad = pick(3) > 0
            options.whenHidden = BindingOptions.HiddenPolicy.allCases[pick(3)]
            options.gate = pick(2) == 0 ? gate : nil
            options.continuesInBackground = pick(2) == 0
            options.placeholder = [.none, .now(placeholder), .late(nil), .previous(nil)][pick(4)]
            options.transition = pick(3) == 0 ? FakeTransition(trigger: .always) : nil
            options.waitsForTransition = pick(2) == 0
            // A program that loads something else when it is told of an end.
            let loadsNext = pick(8) == 0
            options.onEnd = { [weak self] _ in
                self?.ends += 1
                if loadsNext, self?.target != nil { self?.load() }
            }
            return options
        }

        func load(in group: ImageLoadGroup? = nil) {
            let (number, slot, index) = (pick(3), pickSlot(), loads.count)
            var options = options()
            options.group = group
            if pick(4) == 0 { loader.remember(moving(number), for: url(number)) }
            clear.remove(slot)
            cancelled.remove(slot)
            loads.append((nil, number, slot))
            loads[index].load = binding.load(url(number), into: slot, options: options)
        }

        /// A picture that moves for a moment.
        func moving(_ number: Int) -> DecodedImage { picture(number, frames: 1 + pick(3), loopCount: 1) }

        func finish(_ answer: Answer) {
            for number in 0..<3 where answer.request.url == url(number) { answer.finish(moving(number)) }
        }

        func step() async {
            let open = loader.open
            switch pick(12) {
            case 0: load()
            case 1 where pick(2) == 0:
                _ = ImageLoadGroup(showsTogether: pick(2) == 0) { group in (0..<2).forEach { _ in load(in: group) } }
            case 1: clock.advance(by: .milliseconds(600))
            case 2 where !open.isEmpty: finish(open[pick(open.count)])
            case 3 where !open.isEmpty: open[pick(open.count)].fail()
            case 4 where !open.isEmpty:
                let answer = open[pick(open.count)]
                if pick(2) == 0 { answer.progress(pick(10), of: 10) } else { answer.send(.preview(picture(11))) }
            case 5, 6:
                target?.visibility = TargetVisibility.allCases[pick(3)]
                binding.targetVisibilityChanged()
            case 7: if pick(2) == 0 { application.resignActive() } else { application.becomeActive() }
            case 8: application.releasePictures()
            case 9: application.enterForeground()
            case 10: gate.scrolled(by: pick(2) == 0 ? 9 : 0)
            case 11 where pick(3) == 0:
                let slot = pickSlot()
                if pick(2) == 0 {
                    cancelled.insert(slot)
                    return binding.cancel(slot)
                }
                clear.insert(slot)
                binding.clear(slot)
            case 11 where pick(3) == 0: timing.running.values.forEach { $0() }
            default: for _ in 0..<pick(20) { await Task.yield() }
            }
        }

        var hasEnded: Bool { loads.allSatisfy { $0.load?.hasEnded != false } }

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
                clock.advance(by: .milliseconds(600))
                await Task.yield()
            }
            for _ in 0..<20 { await Task.yield() }
        }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `after any order of events each slot shows what was asked for last, and nothing goes on`(seed: UInt64) async {
        let play = Play(seed: seed)
        for _ in 0..<40 { await play.step() }
        await play.settle()
        await until { play.loader.open.isEmpty }
        expectAll(play.binding.entryCount == 0, !play.indicator.isShown, play.timing.running.isEmpty)
        expectAll(play.hasEnded, play.ends == play.loads.count)
        for slot in [ImageSlot.image, .backgroundImage] {
            let (last, shown) = (play.loads.last { $0.slot == slot }, play.target?.shown[slot]?.index)
            if play.clear.contains(slot) {
                expectNil(shown, "seed \(seed)")
            } else if case .finished? = last?.load?.currentOutcome {
                expect(shown == last?.number || shown == nil && play.cancelled.contains(slot), "seed \(seed)")
            } else if case .failed? = last?.load?.currentOutcome {
                expect([nil, placeholder.index, 11, last?.number].contains(shown), "seed \(seed)")
            }
            play.binding.clear(slot)
        }
        // No animation and no transition is left.
        await until { play.clock.sleepers == 0 }
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
        expectAll(play.hasEnded, play.ends == ends, !play.binding.isLoading)
        expectAll(play.binding.entryCount == 0, !play.indicator.isShown, play.timing.running.isEmpty)
        await until { play.loader.open.isEmpty && play.clock.sleepers == 0 }
        play.application.enterForeground()
        expectEmpty(play.loader.open)
    }
}
