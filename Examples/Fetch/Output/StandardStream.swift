// SPDX-License-Identifier: MIT
import PlatformBasics

/// A stream of bytes by its descriptor.
struct StandardStream: Sendable {
    let descriptor: Int32

    static let input = StandardStream(descriptor: STDIN_FILENO)
    static let output = StandardStream(descriptor: STDOUT_FILENO)
    static let error = StandardStream(descriptor: STDERR_FILENO)

    var isPipe: Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes a line. A failure is ignored, because it cannot be reported.
    func writeLine(_ text: String) {
        try? write(Array((text + "\n").utf8))
    }

    /// Writes all bytes, in as many calls as needed.
    func write(_ bytes: [UInt8]) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe PlatformBasics.write(descriptor, $0.baseAddress, $0.count)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else {
                try recover(waitingFor: Int16(POLLOUT))
            }
        }
    }

    /// Reads to the end, or until there are more than `limit` bytes; the result is then longer than `limit`.
    func read(upTo limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe PlatformBasics.read(descriptor, $0.baseAddress, $0.count)
            }
            if count == 0 { break }
            if count > 0 {
                bytes += buffer[..<count]
            } else {
                try recover(waitingFor: Int16(POLLIN))
            }
        }
        return bytes
    }

    /// Returns when the failed call can be repeated: it was interrupted, or another process has made the stream
    /// non-blocking.
    private func recover(waitingFor events: Int16) throws(SystemError) {
        let failure = SystemError.last
        switch failure.number {
        case EINTR: break
        case EAGAIN:
            var entry = pollfd(fd: descriptor, events: events, revents: 0)
            _ = unsafe poll(&entry, 1, -1)
        default: throw failure
        }
    }
}
