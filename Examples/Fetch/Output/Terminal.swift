// SPDX-License-Identifier: MIT
import PlatformBasics

/// A terminal that understands cursor movements.
struct Terminal: Sendable {
    private let descriptor: Int32

    struct Size: Equatable {
        var columns = 80
        var rows = 24
    }

    /// Creates a terminal; `nil` when the stream is not a terminal, or is a dumb one.
    init?(_ stream: StandardStream) {
        guard isatty(stream.descriptor) == 1, ProcessInfo.processInfo.environment["TERM"] != "dumb" else { return nil }
        descriptor = stream.descriptor
    }

    /// Whether it shows colours, and the user wants them.
    ///
    /// - Source: https://no-color.org
    var hasColours: Bool { ProcessInfo.processInfo.environment["NO_COLOR"]?.isEmpty != false }

    /// Whether the user's locale has more than ASCII. A container often names no locale, and its terminal has more all
    /// the same.
    static var isUnicode: Bool {
        let environment = ProcessInfo.processInfo.environment
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        return locale?.uppercased().replacing("-", with: "").contains("UTF8") != false
    }

    /// The present size; 80 by 24 when it is unknown.
    var size: Size {
        var window = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return Size()
        }
        return Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }
}
