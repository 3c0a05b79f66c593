import Testing

@testable import TaskCoordination

@Suite struct CallerListTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `the list answers like an ordered dictionary, also when somebody leaves twice`(seed: UInt64) {
        var random = XorShift(seed: seed)
        var list = CallerList<Int>()
        var model: [(id: Int, caller: Int)] = []
        var gone = [0, -1, .max]
        for step in 0..<1_000 {
            if model.isEmpty || Int.random(in: 0..<100, using: &random) < (step < 500 ? 60 : 35) {
                model.append((list.join(step), step))
                if step.isMultiple(of: 3) {
                    list[model.last!.id] = -step
                    model[model.count - 1].caller = -step
                }
            } else {
                let leaver = model.remove(at: Int.random(in: model.indices, using: &random))
                #expect(list.leave(leaver.id) == leaver.caller)
                gone.append(leaver.id)
            }
            let late = gone[Int.random(in: gone.indices, using: &random)]
            list[late] = 0
            #expect(list.leave(late) == nil && list[late] == nil)
            #expect(list.count == model.count && list.isEmpty == model.isEmpty)
            var present: [Int] = []
            list.update { present.append($0) }
            #expect(present == model.map(\.caller))
            if let one = model.randomElement(using: &random) { #expect(list[one.id] == one.caller) }
        }
        #expect(list.removeAll() == model.map(\.caller) && list.isEmpty)
        #expect(Set(gone).count == gone.count, "identifiers are not given twice")
    }

    @Test(arguments: [1, 2, 40])
    func `memory follows the live callers: those who stay do not keep the places of those who come and go`(
        staying: Int
    ) {
        var list = CallerList<Int>()
        for caller in 0..<staying { _ = list.join(caller) }
        for caller in 0..<10_000 {
            let id = list.join(caller)
            #expect(list.placeCount <= max(17, 2 * list.count))
            #expect(list.leave(id) == caller && list.count == staying)
        }
    }
}
