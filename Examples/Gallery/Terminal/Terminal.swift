// SPDX-License-Identifier: MIT
import Foundation
import WebImageBinding

/// A system call that failed.
struct SystemError: Error, Equatable, CustomStringConvertible {
    let call: String
    let number: Int32

    /// The failure that was just reported through `errno`.
    static func last(_ call: String) -> SystemError { SystemError(call: call, number: errno) }

    var description: String { unsafe "\(call): \(String(cString: strerror(number)))" }
}

/// The terminal that the program was started in, taken over and given back.
///
/// Between ``enter()`` and ``leave()`` it is in raw mode, on its alternate screen, without a cursor, and reports the
/// wheel of the mouse. ``leave()`` restores the terminal and may be called at any time, also twice.
@MainActor
final class Terminal {
    private let input: Int32
    private let output: Int32
    private let found: termios
    private var isEntered = false

    private static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?1000h\u{1B}[?1006h\u{1B}[0m\u{1B}[2J"
    private static let leave = "\u{1B}[?2026l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[0m\u{1B}[2J\u{1B}[?25h\u{1B}[?1049l"

    /// - Throws: ``SystemError`` when the two descriptors are not those of a terminal.
    init(input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO) throws(SystemError) {
        var found = termios()
        guard isatty(output) == 1 else { throw .last("standard output") }
        guard unsafe tcgetattr(input, &found) == 0 else { throw .last("standard input") }
        self.input = input
        self.output = output
        self.found = found
    }

    func enter() throws(SystemError) {
        var raw = found
        unsafe cfmakeraw(&raw)
        guard unsafe tcsetattr(input, TCSADRAIN, &raw) == 0 else { throw .last("tcsetattr") }
        isEntered = true
        try? Self.write(Array(Self.enter.utf8), to: output)
    }

    /// - Parameter graphics: The graphics used for pictures, so that no picture is left.
    func leave(_ graphics: Graphics) {
        guard isEntered else { return }
        isEntered = false
        // A closed terminal cannot be restored, so the error is ignored.
        try? Self.write((graphics == .kitty ? Kitty.removeAll : []) + Array(Self.leave.utf8), to: output)
        var found = found
        _ = unsafe tcsetattr(input, TCSANOW, &found)
    }

    /// The present size; 80 by 24 when it is unknown.
    func size(cell: PixelSize?) -> TerminalSize {
        var window = winsize()
        var size = TerminalSize()
        guard unsafe ioctl(output, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return size
        }
        size.columns = min(1_000, Int(window.ws_col))
        size.rows = min(1_000, Int(window.ws_row))
        if let cell {
            size.cell = cell
        } else if window.ws_xpixel >= window.ws_col, window.ws_ypixel >= window.ws_row {
            size.cell = PixelSize(
                width: Int(window.ws_xpixel / window.ws_col), height: Int(window.ws_ypixel / window.ws_row))
        }
        return size
    }

    /// Stops the process, as Ctrl-Z does; returns when it continues.
    func stop() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGTSTP)
        let handler = signal(SIGTSTP, SIG_DFL)
        // A signal to the thread itself takes effect before the next line, once the thread unblocks it.
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(SIGTSTP)
        signal(SIGTSTP, handler)
    }

    /// Writes all bytes, in as many calls as needed.
    nonisolated static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&entry, 1, -1)
            } else if errno != EINTR {
                throw .last("write")
            }
        }
    }
}
