// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import lessons

/// What the parts of lesson 7 promise, beside its scenario.
@Suite(.replayed)
struct StructureTests {
    @Test(arguments: seeds) func `the pictures of an album come in the order of their names`(seed: UInt64) {
        let executor = SeededExecutor(seed: seed)
        let album = Probe(on: executor) { try await Lesson7.Albums().album(["a", "b", "c", "d"]) { $0 + "!" } }
        executor.drain()
        expectEqual(album.value, ["a!", "b!", "c!", "d!"])
    }

    @Test(arguments: seeds) func `a page that fails cancels the cover, and the book ends after the cover`(seed: UInt64)
    {
        let (executor, gate, ends) = (SeededExecutor(seed: seed), Gate(), Journal<String>())
        let book = Probe(on: executor) {
            try await Lesson7.Albums().book(cover: "cover", pages: ["page"]) { name in
                if name == "page" { throw Broken() }
                await withTaskCancellationHandler {
                    await gate.pass()
                } onCancel: {
                    ends.write("cancelled")
                }
                ends.write("ended")
                return name
            }
        }
        executor.drain()
        expectEqual(ends.entries, ["cancelled"])
        expect(book.isRunning)
        gate.open()
        executor.drain()
        expectEqual(ends.entries, ["cancelled", "ended"])
        expect(book.error is Broken)
    }

    @Test(arguments: seeds) func `a picture that cannot be warmed leaves the others alone`(seed: UInt64) {
        let (executor, warmed) = (SeededExecutor(seed: seed), Journal<String>())
        let warming = Probe(on: executor) {
            await Lesson7.Albums().warm(["a", "b", "c"]) { name in
                if name == "b" { throw Broken() }
                await Task.yield()
                try Task.checkCancellation()
                warmed.write(name)
            }
        }
        executor.drain()
        expect(!warming.isRunning)
        expectEqual(warmed.entries.sorted(), ["a", "c"])
    }

    @Test(arguments: seeds, [true, false]) func `what runs beside a body ends with it, however the body ends`(
        seed: UInt64, isFailing: Bool
    ) {
        let (executor, gate, ends) = (SeededExecutor(seed: seed), Gate(), Journal<String>())
        let scope = Probe(on: executor) {
            try await Lesson7.Albums().whileWarming(["a"]) { _ in
                await withTaskCancellationHandler {
                    await gate.pass()
                } onCancel: {
                    ends.write("cancelled")
                }
                ends.write("ended")
            } body: {
                await Task.yield()
                if isFailing { throw Broken() }
                return 1
            }
        }
        executor.drain()
        expectEqual(ends.entries, ["cancelled"])
        expect(scope.isRunning)
        gate.open()
        executor.drain()
        expectEqual(ends.entries, ["cancelled", "ended"])
        expectEqual(scope.value, isFailing ? nil : 1)
        expectEqual(scope.error is Broken, isFailing)
    }
}
