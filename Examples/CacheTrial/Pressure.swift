// SPDX-License-Identifier: MIT
import Foundation
import WebImage
import WebImageTesting

/// A memory cache whose limit leaves no room for what else the process needs: what it gives back, and what it still
/// hits.
struct Pressure: Sendable {
    private static let pictureCount = 20_000
    private static let pictureSize = 200_000
    private static let ballastStep = 5_000_000

    let options: Options

    /// Looks pictures up by Zipf's law and stores those that it misses, at the pace of a busy server. In the second
    /// half the rest of the process grows to the ballast; the hits of the last quarter are printed.
    func run() async -> Bool {
        let watch = options.isWatched ? MemoryWatch(onChange: { say("pressure \($0)") }) : nil
        let cache = MemoryCache<Int, [UInt8]>(MemoryLimits(maximumCost: options.maximumByteCount), watch: watch)
        var random = SeededGenerator(seed: options.seed)
        let popularity = Zipf(Self.pictureCount, 1)
        var (hits, lookups, ballast) = (0, 0, [[UInt8]]())
        let (start, time) = (ContinuousClock.now, Duration.seconds(options.seconds))
        while case let passed = ContinuousClock.now - start, passed < time {
            let number = popularity.next(using: &random)
            let isCounted = passed > time * 0.75
            if isCounted { lookups += 1 }
            if let picture = cache.value(for: number) {
                guard picture.first == UInt8(truncatingIfNeeded: number) else { return false }
                if isCounted { hits += 1 }
            } else {
                let picture = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: Self.pictureSize)
                cache.store(picture, for: number, cost: Self.pictureSize)
                // A picture takes a core a millisecond or two to make.
                try? await Task.sleep(for: .milliseconds(1))
            }
            let grown = Double(options.ballast) * min(1, max(0, (passed / time - 0.5) * 8))
            if Double(ballast.count * Self.ballastStep) < grown {
                ballast.append([UInt8](repeating: 1, count: Self.ballastStep))
            }
        }
        say("hits \(hits) \(lookups) \(cache.statistics.cost) \(ballast.reduce(0) { $0 + $1.count })")
        return true
    }
}
