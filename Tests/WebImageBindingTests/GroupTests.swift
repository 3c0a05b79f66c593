// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImageBinding

@MainActor
@Suite(.balancedOnMainActor, .timeLimit(.minutes(1)))
struct GroupTests {
    let scene = Scene()
    let heard = Heard()
    let slots: [ImageSlot] = [.image, .image(for: .highlighted), .image(for: .selected)]

    private func group(showsTogether: Bool) -> ImageLoadGroup {
        ImageLoadGroup(showsTogether: showsTogether) { group in
            for (index, slot) in slots.enumerated() {
                scene.binding.load(url(index), into: slot, options: heard.options("\(index) ") { $0.group = group })
            }
        }
    }

    @Test(arguments: [true, false])
    func `loads of a group end together, in the order they started in, and the group keeps none of them`(
        _ showsTogether: Bool
    ) async throws {
        // Loads of a group end together, in the order they started in.
        do {
            let group = group(showsTogether: showsTogether)
            scene.loader.answers[2].finish(picture(2))
            scene.loader.answers[1].fail()
            for slot in slots[1...] { await until { scene.binding.load(of: slot)?.hasLanded == true } }
            expect(!heard.words.contains { $0.hasSuffix("finished") || $0.hasSuffix("failed") })
            expectEqual((scene.target.shown[slots[2]] == nil), showsTogether)
            scene.loader.answers[0].finish(picture(0))
            try await expectEqual(group.outcomes.map(\.word), ["finished", "failed", "finished"])
            let ends = heard.words.filter { $0.hasSuffix("finished") || $0.hasSuffix("failed") }
            expectEqual(ends, ["0 finished", "1 failed", "2 finished"])
            expectEqual(scene.target.shown[slots[2]]?.index, 2)
        }

        scene.renew()
        heard.words = []
        // A group that has ended keeps no load.
        let group = group(showsTogether: showsTogether)
        scene.loader.answers[0].finish(picture(0))
        await until { scene.binding.load(of: slots[0])?.hasLanded == true }
        scene.binding.cancel(slots[0])
        for index in 1...2 { scene.loader.answers[index].finish(picture(index)) }
        try await expectEqual(group.outcomes.map(\.word), ["cancelled", "finished", "finished"])
        expectEqual([group.entryCount, scene.binding.entryCount], [0, 0])
    }

    @Test func `pictures that appear together appear in one turn`() async throws {
        let group = group(showsTogether: true)
        var together: [Int] = []
        scene.target.onShow = { shown in
            if let shown {
                together.append(shown.index)
                Task { together.append(-1) }
            }
        }
        for index in [1, 2, 0] { scene.loader.answers[index].finish(picture(index)) }
        _ = try await group.outcomes
        expectEqual(together.prefix(3), [0, 1, 2])
    }

    @Test
    func `a member that is replaced ends at once, delays no other, and is not shown if it was ready`() async throws {
        // A member that is replaced ends at once and does not delay the others.
        do {
            let group = group(showsTogether: false)
            scene.loader.answers[0].finish(picture(0))
            scene.loader.answers[1].finish(picture(1))
            await until { scene.target.shown.count == 2 }
            scene.binding.load(url(9), into: slots[2])
            expect(heard.words.contains("2 cancelled"))
            try await expectEqual(group.outcomes.map(\.word), ["finished", "finished", "cancelled"])
        }

        scene.renew()
        heard.words = []
        // A member that was ready when it was replaced is not shown.
        let group = group(showsTogether: true)
        scene.loader.answers[0].finish(picture(0))
        await until { scene.binding.load(of: slots[0])?.hasLanded == true }
        scene.binding.cancel(slots[0])
        scene.loader.answers[1].finish(picture(1))
        scene.loader.answers[2].finish(picture(2))
        try await expectEqual(group.outcomes.map(\.word), ["cancelled", "finished", "finished"])
        expectNil(scene.target.shown[slots[0]])
    }

    @Test func `a group without loads, or with pictures in memory, ends within the call`() async throws {
        // A group whose pictures are all in memory ends within the call.
        for index in slots.indices { scene.loader.remember(picture(index), for: url(index)) }
        let group = group(showsTogether: true)
        expectEqual(group.currentOutcomes?.map(\.word), ["finished", "finished", "finished"])
        expectEqual(scene.target.shown.count, 3)

        scene.renew()
        // An empty group ends at once.
        do {
            let group = ImageLoadGroup { _ in }
            expectEqual(group.currentOutcomes?.isEmpty, true)
        }

        scene.renew()
        // A load that joins a group too late is not held.
        do {
            let group = ImageLoadGroup { _ in }
            try await scene.finish(1, options: options { $0.group = group })
            expectEqual(scene.target.index, 1)
        }
    }

    @Test func `a group waits for transitions that its loads wait for`() async throws {
        let transition = FakeTransition()
        let group = ImageLoadGroup(showsTogether: true) { group in
            for index in 0..<2 {
                scene.binding.load(
                    url(index), into: slots[index],
                    options: options {
                        $0.group = group
                        $0.transition = transition
                        $0.waitsForTransition = true
                    })
            }
        }
        for index in 0..<2 { scene.loader.answers[index].finish(picture(index)) }
        await until { scene.clock.sleepers == 2 }
        expectNil(group.currentOutcomes)
        scene.clock.advance(by: .seconds(1))
        try await expectEqual(group.outcomes.count, 2)
    }

    @Test func `a group ends when its binding is released, and releases its loads`() async throws {
        var binding: ImageBinding? = ImageBinding(target: scene.target, loader: scene.loader)
        weak var load: BoundLoad?
        let group = ImageLoadGroup { group in
            load = binding?.load(url(1), options: options { $0.group = group })
        }
        binding = nil
        try await expectEqual(group.outcomes.map(\.word), ["cancelled"])
        await until { load == nil }
    }
}
