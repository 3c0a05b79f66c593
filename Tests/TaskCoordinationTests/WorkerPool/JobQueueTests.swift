import Testing

@testable import TaskCoordination

@Suite struct JobQueueTests {
    @Test(arguments: 0..<20 as Range<UInt64>) func `jobs come out in the order in which they went in`(seed: UInt64) {
        var random = XorShift(seed: seed)
        var queue = JobQueue<Int>()
        var (appended, popped) = (0, 0)
        for _ in 0..<500 {
            if Bool.random(using: &random) {
                queue.append(appended)
                appended += 1
            } else if let job = queue.popFirst() {
                #expect(job == popped)
                popped += 1
            } else {
                #expect(appended == popped)
            }
            #expect(queue.count == appended - popped)
        }
    }
}
