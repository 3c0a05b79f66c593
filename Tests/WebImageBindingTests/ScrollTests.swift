// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImageBinding

/// A list of 500 items, 50 reused cells, and a loader that answers late, in any order, or from memory.
@MainActor
private final class List {
    static let itemCount = 500
    static let cellCount = 50

    struct Cell {
        let target = FakeTarget()
        let binding: ImageBinding
        var item: Int?

        @MainActor init(_ loader: ScriptedLoader) {
            binding = ImageBinding(target: target, loader: loader, clock: ManualClock())
        }
    }

    let loader = ScriptedLoader()
    var cells: [Cell] = []
    var random: SeededGenerator
    var wrong: [String] = []
    private var changed: [Int] = []
    private var step = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        cells = (0..<Self.cellCount).map { _ in Cell(loader) }
        // Checked when it is shown, and by ``check(_:)`` when the item of the cell changes: it cannot become wrong at
        // another time.
        for (index, cell) in cells.enumerated() {
            cell.target.onShow = { [weak self] picture in self?.check(index, showing: picture?.index) }
        }
    }

    /// Shows the items from `top` on, each in the cell that is free for it.
    func scroll(to top: Int) {
        for item in top..<top + Self.cellCount {
            let index = item % Self.cellCount
            guard cells[index].item != item else { continue }
            cells[index].item = item
            changed.append(index)
            cells[index].binding.load(
                url(item), options: options { $0.placeholder = Bool.random(using: &random) ? .none : .now(placeholder) }
            )
        }
    }

    /// Answers some of the loads, also abandoned ones.
    func answerSome() {
        for answer in loader.answers.suffix(120) where Int.random(in: 0..<8, using: &random) == 0 {
            self.answer(answer)
        }
    }

    func answer(_ answer: Answer) {
        guard let item = Int(answer.request.url.deletingPathExtension().lastPathComponent) else { return }
        if Int.random(in: 0..<4, using: &random) == 0 { loader.remember(picture(item), for: url(item)) }
        answer.finish(picture(item))
    }

    /// Checks the cells whose item has changed in this step.
    func check(_ step: Int) {
        self.step = step
        for index in changed { check(index, showing: cells[index].target.index) }
        changed = []
    }

    private func check(_ index: Int, showing shown: Int?) {
        guard let shown, shown != placeholder.index, shown != cells[index].item else { return }
        wrong.append("step \(step): \(shown) under \(cells[index].item ?? -1)")
    }
}

@MainActor
@Suite(.balancedOnMainActor, .timeLimit(.minutes(1)))
struct ScrollTests {
    @Test(arguments: [1, 2] as [UInt64])
    func `fifty reused cells never show a wrong picture in 5,000 steps, and load only visible items`(_ seed: UInt64)
        async
    {
        let list = List(seed: seed)
        var top = 0
        for step in 0..<5_000 {
            let distance = Int.random(in: 0..<20, using: &list.random) == 0 ? 200 : 12
            top += Int.random(in: -distance...distance, using: &list.random)
            top = min(max(0, top), List.itemCount - List.cellCount)
            list.scroll(to: top)
            list.check(step)
            list.answerSome()
            for _ in 0..<Int.random(in: 0..<4, using: &list.random) {
                await Task.yield()
            }
        }
        expectEmpty(list.wrong)

        let visible = Set((top..<top + List.cellCount).map { url($0) })
        let waiting = Set(list.cells.filter { $0.binding.isLoading }.compactMap(\.item))
        await until { Set(list.loader.open.map(\.request.url)).isSubset(of: visible) }
        expect(list.loader.open.count, <=, waiting.count)
        for answer in list.loader.open { list.answer(answer) }
        await until { !list.cells.contains { $0.binding.isLoading } }
        for cell in list.cells { expectEqual(cell.target.index, cell.item) }
        await until { list.loader.open.isEmpty }
        expectEmpty(list.wrong)
    }
}
