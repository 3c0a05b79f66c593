// SPDX-License-Identifier: MIT
import Foundation
import Locks
import TestSupport

/// The built command as a process.
final class RunningCommand: Sendable {
    private let processNumber: pid_t
    private let statuses: AsyncStream<Int32>
    private let lines: AsyncStream<String>
    private let written = Mutex("")
    private let outputEnds: AsyncStream<Void>

    /// - Parameter limit: The number of descriptors that the process may have; the usual one when `nil`.
    init(_ arguments: [String], limit: Int? = nil) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        let number = limit.map { "ulimit -n \($0) || exit 9; " } ?? ""
        process.arguments = ["-c", number + "exec \"$0\" \"$@\"", Self.executable] + arguments
        process.environment = ["PATH": "/usr/bin:/bin"].merging(plantedBug) { $1 }
        let (statuses, end) = AsyncStream.makeStream(of: Int32.self)
        self.statuses = statuses
        process.terminationHandler = { process in
            end.yield(process.terminationStatus)
            end.finish()
        }
        let (errors, output) = (Pipe(), Pipe())
        process.standardError = errors
        process.standardOutput = output
        try process.run()
        processNumber = process.processIdentifier
        lines = Self.lines(of: errors.fileHandleForReading)
        let (outputEnds, outputEnd) = AsyncStream.makeStream(of: Void.self)
        self.outputEnds = outputEnds
        // Reading blocks, so it has a thread of its own.
        let handle = output.fileHandleForReading
        Thread.detachNewThread {
            let text = String(decoding: handle.readDataToEndOfFile(), as: UTF8.self)
            self.written.withLock { $0 = text }
            outputEnd.finish()
        }
    }

    deinit { kill(processNumber, SIGKILL) }

    func send(_ signal: Int32) { kill(processNumber, signal) }

    /// The next line of the standard error with this text; `nil` at the end.
    func errors(until text: String) async -> String? {
        for await line in lines where line.contains(text) { return line }
        return nil
    }

    /// Waits for the end. A test that is cancelled at its time limit kills the process.
    func status() async -> Int32 {
        let number = processNumber
        return await withTaskCancellationHandler {
            for await _ in outputEnds {}
            for await status in statuses { return status }
            return -1
        } onCancel: {
            kill(number, SIGKILL)
        }
    }

    /// The standard output, after ``status()``.
    var output: String { written.withLock { $0 } }

    private static func lines(of handle: FileHandle) -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            var rest = Data()
            while case let data = handle.availableData, !data.isEmpty {
                rest += data
                while let end = rest.firstIndex(of: 0x0A) {
                    continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            continuation.finish()
        }
        return lines
    }

    /// The command is in the folder of the program that runs the tests.
    private static let executable: String = {
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        return tests.deletingLastPathComponent().appending(path: "image-server").path
    }()
}
