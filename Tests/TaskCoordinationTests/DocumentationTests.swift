// SPDX-License-Identifier: MIT
import TaskCoordination
import Testing

/// The examples in the module's documentation, word for word.
struct DocumentationTests {
    @Test func `equal keys share one operation, in a slot`() async throws {
        let slots = Slots(limit: 4)
        let pictures = InFlight<String, [UInt8], Double>(
            name: "pictures", slots: slots)

        let bytes = try await pictures.value(for: "sea.jpg") { report in
            report(0.5)
            return try await download("sea.jpg")
        }
        #expect(bytes == Array("sea.jpg".utf8))
    }

    @Test func `work that blocks runs on threads of its own`() async throws {
        let files = WorkerPool(name: "files", width: 2, maximumQueueLength: 100)
        let sum = try await files.run { readAndAdd("numbers.txt") }
        await files.shutdown()
        #expect(sum == 11)
    }

    private func download(_ name: String) async throws -> [UInt8] { Array(name.utf8) }
}

private func readAndAdd(_ name: String) -> Int { name.utf8.count }
