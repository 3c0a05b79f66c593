// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@Suite(.replayed) struct SeedsTests {
    @Test func `a list of seeds is as long as asked for, and the generator gives the numbers of SplitMix64`() {
        // A list is as long as asked for, unless the environment says otherwise.
        expectEqual(Seeds.list(3, in: [:]), [0, 1, 2])
        expectEqual(Seeds.list(3, in: ["SEED": "17"]), [17])
        expectEqual(Seeds.list(3, in: ["SEEDS": "5"]), [0, 1, 2, 3, 4])
        expectEqual(Seeds.list(3, in: ["SEEDS": "18446744073709551615"]).count, 1_000_000)
        expectEqual(Seeds.list(3, in: ["SEED": "17", "SEEDS": "5"]), [17])
        expectEqual(Seeds.list(3, in: ["SEED": "x", "SEEDS": ""]), [0, 1, 2])

        // The generator gives the numbers of SplitMix64.
        // From the reference implementation, seeded with 1234567.
        var generator = SeededGenerator(seed: 1_234_567)
        #expect(
            (0..<3).map { _ in generator.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ])
    }

    @Test(arguments: [0, 1, 7, 8, 9, 1_000]) func `bytes are compared to the last one`(count: Int) {
        let bytes = SeededGenerator.bytes(count: count)
        expectEqual(bytes.count, count)
        var other = Array(bytes.reversed().reversed())
        let isEqual = bytes == other
        expect(isEqual)
        for index in bytes.indices {
            other[index] ^= 1
            let isEqual = bytes == other
            expect(!isEqual && bytes != other, "\(index)")
            other[index] ^= 1
        }
        let isLonger = bytes == bytes + [0]
        expect(!isLonger)
        var filled = [UInt8](repeating: 7, count: count)
        expectAll(filled.isFilled(with: 7), filled.isFilled(with: 8) == filled.isEmpty)
        for index in filled.indices {
            filled[index] = 8
            expect(filled.isFilled(with: 7) == false && filled.isFilled(with: 8) == (count == 1), "\(index)")
            filled[index] = 7
        }
    }

    @Test(arguments: [17] as [UInt64], [false]) func `the command to replay names the seed, the suite and the test`(
        seed: UInt64, other: Bool
    ) throws {
        let command = Replay.command(for: try required(Test.current), Test.Case.current)
        let name = "the command to replay names the seed, the suite and the test"
        expectEqual(command, "SEED=17 swift test --filter 'WebImageTestingTests.SeedsTests/.\(name).'")
    }

    @Test(arguments: [1, 2]) func `a case without a seed is replayed by its name alone`(number: Int) throws {
        expect(Replay.command(for: try required(Test.current), Test.Case.current) == nil)
    }

    @Test(arguments: [17] as [UInt64]) func `a failure under a seed tells how to replay it, once`(seed: UInt64)
        async throws
    {
        let test = try required(Test.current)
        let told = Journal<String>()
        // Takes the issues of the scope inside it, after that has seen them.
        let taking = IssueHandlingTrait.compactMapIssues { issue in
            told.write(issue.comments.map(\.rawValue).joined(separator: "|"))
            return nil
        }
        try await taking.provideScope(for: test, testCase: Test.Case.current) {
            try await Replay().provideScope(for: test, testCase: Test.Case.current) {
                Issue.record("first")
                Issue.record("second")
            }
        }
        let command = try required(Replay.command(for: test, Test.Case.current))
        expectEqual(told.entries, ["first|replay: \(command)", "second"])
    }
}
