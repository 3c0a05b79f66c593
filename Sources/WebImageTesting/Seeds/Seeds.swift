// SPDX-License-Identifier: MIT
internal import PlatformBasics

/// The seeds under which a test runs.
///
/// ```swift
/// @Test(arguments: Seeds.first(300)) func `callers share a load`(seed: UInt64) { … }
/// ```
///
/// The environment changes every list: `SEED=17` leaves that seed alone, to replay a failure, and `SEEDS=5000` makes
/// each list that long, at most a million, to look for more.
public enum Seeds {
    /// The first seeds, from 0, unless the environment says otherwise.
    ///
    /// - Parameter count: How many.
    public static func first(_ count: UInt64) -> [UInt64] {
        list(count, in: ProcessInfo.processInfo.environment)
    }

    /// More would fill the memory.
    private static let maximumCount: UInt64 = 1_000_000

    package static func list(_ count: UInt64, in environment: [String: String]) -> [UInt64] {
        if let seed = environment["SEED"].flatMap(UInt64.init) { return [seed] }
        return Array(0..<min(environment["SEEDS"].flatMap(UInt64.init) ?? count, maximumCount))
    }
}

/// What every scenario on a ``SeededExecutor`` runs under.
package let seeds = Seeds.first(300)

/// For scenarios that run once for each kind of something besides.
package let fewerSeeds = Seeds.first(100)
