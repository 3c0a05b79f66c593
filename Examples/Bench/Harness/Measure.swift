// SPDX-License-Identifier: MIT
import CBenchBaselines

/// Times contenders against each other.
///
/// Each contender is warmed up first, which also finds how often it must do its work to fill a batch. Then the
/// contenders take turns: one batch each per round, and another contender first in every round, so that disturbances of
/// the machine affect all of them equally.
///
/// - Returns: The timings of the rounds, in the order of `contenders`.
/// - Throws: ``RanAlone`` when one contender alone has done its work; the errors of the contenders.
func measure(_ effort: Effort, _ contenders: Contender...) async throws -> [Figure] {
    if let alone = effort.alone {
        guard contenders.indices.contains(alone.contender) else { throw Failure("there is no such contender") }
        try await contenders[alone.contender].run(alone.count)
        throw RanAlone()
    }
    var counts: [Int] = []
    for contender in contenders { counts.append(try await warmUp(contender, effort)) }
    var timings = [[Timing]](repeating: [], count: contenders.count)
    for round in 0..<effort.repeats {
        for turn in contenders.indices {
            let index = (turn + round) % contenders.count
            timings[index].append(try await time(contenders[index], count: counts[index]))
        }
    }
    return zip(contenders, timings).map { Figure(name: $0.name, timings: $1) }
}

/// Ends a family in which one contender has done its work.
struct RanAlone: Error {}

/// The middle value; the mean of the two in the middle of an even number.
func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}

/// The smallest value that `share` of the values do not exceed.
func quantile(_ values: [Double], _ share: Double) -> Double {
    let sorted = values.sorted()
    return sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
}

private func time(_ contender: Contender, count: Int) async throws -> Timing {
    let (wall, cpu) = (bench_wall_seconds(), bench_cpu_seconds())
    try await contender.run(count)
    return Timing(
        wall: (bench_wall_seconds() - wall) / Double(count), cpu: (bench_cpu_seconds() - cpu) / Double(count))
}

/// Runs `contender` until a run lasts half a batch.
///
/// - Returns: How often it does its work in a batch.
private func warmUp(_ contender: Contender, _ effort: Effort) async throws -> Int {
    if let count = contender.fixedCount {
        try await contender.run(count)
        return count
    }
    var count = 1
    while true {
        // Twice, because the first may be long for what it does once, such as to open connections.
        _ = try await time(contender, count: count)
        let once = try await time(contender, count: count).wall
        if once * Double(count) >= effort.batch / 2 { return max(1, Int(effort.batch / once)) }
        count *= 4
    }
}
