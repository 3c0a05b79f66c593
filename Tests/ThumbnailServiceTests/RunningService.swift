// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing

/// The built program as a process.
final class RunningService: Sendable {
    /// What it has printed: where it listens, and the address of each thumbnail.
    let addresses: [URL]
    private let processNumber: pid_t
    private let statuses: AsyncStream<Int32>

    /// Starts the program on a free port, and waits until it listens.
    ///
    /// - Parameters:
    ///   - sources: Its arguments.
    ///   - key: Its key; a demonstration when `nil`.
    ///   - limit: The number of descriptors that it may have.
    init(sources: [URL] = [], key: String? = nil, limit: Int = 1_024) async throws {
        let process = Process()
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = tests.deletingLastPathComponent().appending(path: "thumbnail-service").path
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "ulimit -n \(limit) && exec \"$0\" \"$@\"", program] + sources.map(\.absoluteString)
        process.environment = ["PORT": "0", "THUMBNAIL_KEY": key].compactMapValues { $0 }.merging(plantedBug) { $1 }
        let (statuses, end) = AsyncStream.makeStream(of: Int32.self)
        self.statuses = statuses
        process.terminationHandler = { process in
            end.yield(process.terminationReason == .exit ? process.terminationStatus : -1)
            end.finish()
        }
        let output = Pipe()
        process.standardOutput = output
        let handle = output.fileHandleForReading
        try process.run()
        processNumber = process.processIdentifier
        let count = 1 + sources.count + (key == nil ? 1 : 0)
        let (texts, text) = AsyncStream.makeStream(of: String.self)
        // Reading blocks, so it has a thread of its own.
        Thread.detachNewThread {
            var bytes = Data()
            while bytes.count(where: { $0 == 0x0A }) < count, case let more = handle.availableData, !more.isEmpty {
                bytes += more
            }
            text.yield(String(decoding: bytes, as: UTF8.self))
            text.finish()
        }
        let lines = await texts.first { _ in true }?.split(separator: "\n") ?? []
        addresses = lines.compactMap { line in
            line.split(separator: " ").last.flatMap { URL(string: $0.trimmingCharacters(in: ["'"])) }
        }
        if key == nil || key?.count == 64 { try #require(addresses.count == count) }
    }

    deinit { kill(processNumber, SIGKILL) }

    /// Tells it to end.
    func terminate() { kill(processNumber, SIGTERM) }

    /// Waits for its end.
    /// - Returns: Its exit status; -1 when a signal has ended it.
    func status() async -> Int32? { await statuses.first { _ in true } }
}
