// SPDX-License-Identifier: MIT
import Foundation
import Synchronization
package import Testing

/// Adds to the first issue of a test case with a seed the command that runs this case again, alone.
package struct Replay: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package init() {}

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase?.isParameterized == true else { return try await function() }
        let isTold = Atomic(false)
        let adding = IssueHandlingTrait.compactMapIssues { issue in
            guard !isTold.exchange(true, ordering: .relaxed), let command = Self.command(for: test, testCase)
            else { return issue }
            var issue = issue
            issue.comments.append("replay: \(command)")
            return issue
        }
        do {
            try await adding.provideScope(for: test, testCase: testCase, performing: function)
        } catch {
            // An error becomes an issue outside every trait's scope.
            if !isTold.load(ordering: .relaxed), let command = Self.command(for: test, testCase) {
                FileHandle.standardError.write(Data("replay: \(command)\n".utf8))
            }
            throw error
        }
    }

    /// The command that runs a test with the seed of one of its cases.
    ///
    /// - Returns: `nil` for a case without a seed.
    package static func command(for test: Test, _ testCase: Test.Case?) -> String? {
        guard let testCase, let seed = seed(of: testCase) else { return nil }
        // The identifier is the path of names, then the place in the source. The filter is a regular expression.
        let path = "\(test.id)".split(separator: "/").dropLast().joined(separator: "/")
        let name = path.prefix { $0 != "(" }
        let filter = String(name.map { $0.isLetter || $0.isNumber || " /,:".contains($0) ? $0 : "." })
        return "SEED=\(seed) swift test --filter '\(filter)'"
    }

    /// The argument for the parameter `seed`.
    ///
    /// By reflection: Swift Testing keeps the arguments of a case to itself.
    private static func seed(of testCase: Test.Case) -> UInt64? {
        let kind = Mirror(reflecting: testCase).descendant("_kind", "parameterized", "arguments")
        for argument in kind.map({ Mirror(reflecting: $0).children.map(\.value) }) ?? [] {
            let argument = Mirror(reflecting: argument)
            let names = ["firstName", "secondName"].map { argument.descendant("parameter", $0) as? String }
            if names.contains("seed"), let seed = argument.descendant("value") as? UInt64 { return seed }
        }
        return nil
    }
}

extension Trait where Self == Replay {
    /// A failure under a seed tells how to replay it.
    package static var replayed: Self { Replay() }
}
