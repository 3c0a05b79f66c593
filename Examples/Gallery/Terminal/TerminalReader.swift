// SPDX-License-Identifier: MIT
import Foundation

/// Reads the input of a terminal, on the calling thread.
struct TerminalReader {
    /// How long an escape may wait for the rest of its sequence before it counts as the Escape key.
    static let escapeTime: Int32 = 50

    private let descriptor: Int32
    private var parser = KeyParser()

    init(_ descriptor: Int32 = STDIN_FILENO) { self.descriptor = descriptor }

    /// Waits for input.
    ///
    /// - Parameter milliseconds: The longest wait; `nil` for no limit.
    /// - Returns: The input, empty when the time was over; `nil` when the terminal was closed.
    mutating func read(within milliseconds: Int32? = nil) -> [TerminalInput]? {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let limit = parser.isInsideSequence ? Self.escapeTime : milliseconds ?? -1
        let ready = unsafe poll(&entry, 1, limit)
        if ready < 0 { return errno == EINTR ? [] : nil }
        if ready == 0 { return parser.flush().map { [$0] } ?? [] }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe buffer.withUnsafeMutableBytes {
            unsafe Foundation.read(descriptor, $0.baseAddress, $0.count)
        }
        if count < 0 { return errno == EINTR || errno == EAGAIN ? [] : nil }
        return count == 0 ? nil : parser.parse(buffer[..<count])
    }
}
