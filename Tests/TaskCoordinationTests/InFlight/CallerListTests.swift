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
            } else {
                let id = model.remove(at: Int.random(in: model.indices, using: &random)).id
                list.leave(id)
                gone.append(id)
            }
            list.leave(gone[Int.random(in: gone.indices, using: &random)])
            #expect(list.count == model.count && list.isEmpty == model.isEmpty)
            #expect(Array(list.present) == model.map(\.caller))
        }
        #expect(Set(gone).count == gone.count, "identifiers are not given twice")
    }
}
