// SPDX-License-Identifier: MIT
package import Testing
import WebImageTesting

/// What holds for every input that a generator draws.
///
/// ```swift
/// await Property(cases: 300) { $0.list(0...9) { $0.number(0...99) } }.holds { numbers in
///     difference(mySorted(numbers), numbers.sorted())
/// }
/// ```
///
/// A failure shows the seed and the smallest input that was found to fail. The environment changes the cases: `SEED=17`
/// leaves that one alone, and shows its input before the check, which may trap; `SEEDS=100000` makes that many.
package struct Property<Input> {
    /// An input for which the property does not hold.
    package struct Counterexample {
        package let seed: UInt64
        package let input: Input
        /// What is wrong.
        package let fault: String
        fileprivate let choices: [UInt64]
    }

    private let seeds: [UInt64]
    private let draw: (inout Generator) -> Input
    /// How many smaller inputs are tried.
    private let attempts = 2_000

    /// Creates a property.
    ///
    /// - Parameters:
    ///   - cases: The number of inputs.
    ///   - draw: Draws an input.
    package init(cases: UInt64, _ draw: @escaping (inout Generator) -> Input) {
        (seeds, self.draw) = (Seeds.first(cases), draw)
    }

    /// Checks every case until one fails, and records that as an issue.
    ///
    /// - Parameter fault: Says what is wrong about an input; `nil` when all is well. An error that it throws is wrong.
    package func holds(
        sourceLocation: SourceLocation = #_sourceLocation, _ fault: (Input) async throws -> String?
    ) async {
        guard let found = await counterexample(fault) else { return }
        let input = String(reflecting: found.input).prefix(4_000)
        Issue.record("\(found.fault)\nfor \(input)\nSEED=\(found.seed)", sourceLocation: sourceLocation)
    }

    /// The smallest input that was found to fail.
    package func counterexample(_ fault: (Input) async throws -> String?) async -> Counterexample? {
        for seed in seeds {
            var generator = Generator(seed: seed)
            let input = draw(&generator)
            if seeds.count == 1 { print("SEED=\(seed): \(String(reflecting: input))") }
            guard let text = await Self.text(fault, input) else { continue }
            let first = Counterexample(seed: seed, input: input, fault: text, choices: generator.choices)
            return await smallest(first, fault)
        }
        return nil
    }

    private static func text(_ fault: (Input) async throws -> String?, _ input: Input) async -> String? {
        do { return try await fault(input) } catch { return "\(error) was thrown" }
    }

    // MARK: - Smaller inputs

    private func smallest(_ first: Counterexample, _ fault: (Input) async throws -> String?) async -> Counterexample {
        var (best, left, hasChanged) = (first, attempts, true)
        while hasChanged {
            hasChanged = false
            var (pass, candidates) = (0, Self.smaller(best.choices))
            while pass < candidates.count, left > 0 {
                (pass, left) = (pass + 1, left - 1)
                guard let smaller = await failing(candidates[pass - 1], than: best, fault) else { continue }
                (best, hasChanged) = (smaller, true)
                // What was tried before the place of the change is not likely to help now.
                let next = Self.smaller(best.choices)
                (pass, candidates) = (min(pass - 1, next.count), next)
            }
        }
        return best
    }

    /// The case of some choices, if it fails, and if what it has chosen is simpler than before.
    private func failing(
        _ choices: [UInt64], than best: Counterexample, _ fault: (Input) async throws -> String?
    ) async -> Counterexample? {
        var generator = Generator(choices)
        let input = draw(&generator)
        let isShorter = generator.choices.count < best.choices.count
        let isLower =
            generator.choices.count == best.choices.count && generator.choices.lexicographicallyPrecedes(best.choices)
        guard isShorter || isLower, let text = await Self.text(fault, input) else { return nil }
        return Counterexample(seed: best.seed, input: input, fault: text, choices: generator.choices)
    }

    /// Choices without some that follow each other, and choices of which one is lower.
    private static func smaller(_ choices: [UInt64]) -> [[UInt64]] {
        var candidates: [[UInt64]] = []
        for count in [32, 16, 8, 4, 3, 2, 1] where count <= choices.count {
            for start in stride(from: choices.count - count, through: 0, by: -max(1, count / 2)) {
                candidates.append(Array(choices[..<start] + choices[(start + count)...]))
            }
        }
        for index in choices.indices where choices[index] > 0 {
            let lower = [0, choices[index] / 2, choices[index] - 1]
            candidates += lower.map { value in
                var copy = choices
                copy[index] = value
                return copy
            }
        }
        return candidates
    }
}

/// Says what is there in place of what is expected; `nil` for equal values.
package func difference<Value: Equatable>(_ actual: Value, _ expected: Value, _ subject: String = "") -> String? {
    actual == expected ? nil : "\(subject) \(String(reflecting: actual)) in place of \(String(reflecting: expected))"
}

/// Says that a condition is not met; `nil` when it is.
package func unless(_ condition: Bool, _ fault: @autoclosure () -> String) -> String? { condition ? nil : fault() }
