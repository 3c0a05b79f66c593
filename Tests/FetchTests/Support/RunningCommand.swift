// SPDX-License-Identifier: MIT
import Foundation

/// The command as a running process.
final class RunningCommand {
    private let process: Process
    private let folder: URL
    private let ends: AsyncStream<Void>

    init(_ process: Process, in folder: URL) throws {
        self.process = process
        self.folder = folder
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        self.ends = ends
        process.terminationHandler = { _ in end.finish() }
        try process.run()
    }

    var processNumber: pid_t { process.processIdentifier }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits for the end of the process. A test that is cancelled at its time limit kills it.
    func end() async throws -> Finished {
        let number = process.processIdentifier
        await withTaskCancellationHandler {
            for await _ in ends {}
        } onCancel: {
            kill(number, SIGKILL)
        }
        process.waitUntilExit()
        return Finished(
            status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal,
            output: try text("output"), errors: try text("errors"))
    }

    private func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
    }
}
