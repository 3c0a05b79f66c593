// SPDX-License-Identifier: MIT
/// A key that the user pressed.
enum Key: Hashable, Sendable {
    case character(Character)
    case up, down, left, right
    case pageUp, pageDown, home, end
    case enter, escape, backspace
    case wheelUp, wheelDown
    /// Ctrl-C.
    case interrupt
    /// Ctrl-Z.
    case suspend
    /// Ctrl-L.
    case redraw
}

/// What a terminal answered to a question.
enum TerminalReply: Hashable, Sendable {
    /// The numbers of a primary device attributes report; 4 among them means sixel.
    case attributes([Int])
    /// The height and width of a cell in pixels.
    case cellSize(height: Int, width: Int)
    /// The answer to a kitty graphics query.
    case kitty(isOK: Bool)
}

/// Something that arrived from a terminal.
enum TerminalInput: Hashable, Sendable {
    case key(Key)
    case reply(TerminalReply)
}
