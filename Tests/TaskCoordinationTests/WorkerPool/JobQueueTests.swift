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

    @Test(arguments: [1, 2, 40]) func `memory follows the jobs that wait, also when the queue is never empty`(
        waiting: Int
    ) {
        var queue = JobQueue<Int>()
        for job in 0..<waiting { queue.append(job) }
        for job in waiting..<10_000 {
            queue.append(job)
            #expect(queue.popFirst() == job - waiting && queue.placeCount <= 2 * queue.count + 1)
        }
    }
}
