// SPDX-License-Identifier: MIT
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

/// The examples in the module's documentation, word for word.
@Suite(.timeLimit(.minutes(1))) struct DocumentationTests {
    @Test(arguments: UInt64(0)..<20) func `a scenario replays under its seed`(seed: UInt64) throws {
        let executor = SeededExecutor(seed: seed)
        let gate = Gate()
        let first = Probe(on: executor) { await gate.pass() }
        let second = Probe(on: executor) { await gate.pass() }

        executor.drain()
        #expect(gate.arrivals == 2)
        gate.open()
        executor.drain()
        #expect(!first.isRunning)
        expect(!second.isRunning)
    }

    @Test func `a picture says which one it is`() throws {
        let file = try ImageFactory.encoded(
            width: 32, height: 24, seed: 7, as: .png)
        let picture = try ImageCoders.default.decode(file)
        #expect(ImageFactory.seed(of: picture) == 7)
    }
}
