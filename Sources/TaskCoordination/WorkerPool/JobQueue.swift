/// Jobs, first in, first out.
///
/// An array with a head that moves; the part before it is dropped when it is the greater one. O(1), amortised.
struct JobQueue<Job> {
    private var jobs: [Job] = []
    private var head = 0

    var count: Int { jobs.count - head }

    /// How many places there are, those of done jobs among them.
    ///
    /// Told to tests.
    var placeCount: Int { jobs.count }

    mutating func append(_ job: Job) {
        jobs.append(job)
    }

    mutating func popFirst() -> Job? {
        guard head < jobs.count else { return nil }
        defer { advance() }
        return jobs[head]
    }

    private mutating func advance() {
        head += 1
        guard head > jobs.count / 2 else { return }
        jobs.removeFirst(head)
        head = 0
    }
}
