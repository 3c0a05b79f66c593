// SPDX-License-Identifier: MIT
import Foundation
import WebImageBinding

/// The capabilities that a terminal reports.
struct Capabilities: Hashable, Sendable {
    var hasKitty = false
    var hasSixel = false
    var cell: PixelSize?

    /// The best graphics of the terminal: its own, else the finest characters that it is known to draw.
    ///
    /// - Parameter environment: The variables by which a terminal gives its name.
    func best(_ environment: [String: String]) -> Graphics {
        hasKitty ? .kitty : hasSixel ? .sixel : Self.finestCharacters(environment)
    }

    private static func finestCharacters(_ environment: [String: String]) -> Graphics {
        let name = environment["TERM"] ?? ""
        let program = environment["TERM_PROGRAM"]?.lowercased() ?? ""
        // These draw the characters of a cell themselves, without a font.
        if name.contains("kitty") || name.contains("ghostty") || program == "ghostty" { return .octants }
        // The console of Linux has a font of 256 or 512 characters, without quadrants.
        return ["", "dumb", "linux"].contains(name) ? .blocks : .quadrants
    }

    /// Notes an answer.
    ///
    /// - Returns: Whether it is the answer that every terminal gives last.
    mutating func learn(_ reply: TerminalReply) -> Bool {
        switch reply {
        case .kitty(let isOK): hasKitty = isOK
        case .cellSize(let height, let width) where (1...200).contains(height) && (1...200).contains(width):
            cell = PixelSize(width: width, height: height)
        case .cellSize: break
        case .attributes(let numbers):
            hasSixel = numbers.dropFirst().contains(4)
            return true
        }
        return false
    }

    /// Asks a terminal in raw mode, and waits for its answers a bounded time.
    ///
    /// - Parameter patience: The longest wait, in milliseconds.
    /// - Returns: The capabilities, and the keys that were pressed meanwhile.
    static func ask(_ reader: inout TerminalReader, patience: Int = 400) -> (Capabilities, [Key]) {
        var capabilities = Capabilities()
        var keys: [Key] = []
        let questions = Kitty.query + Array("\u{1B}[16t\u{1B}[c".utf8)
        guard (try? Terminal.write(questions, to: STDOUT_FILENO)) != nil else { return (capabilities, keys) }
        let end = ContinuousClock.now + .milliseconds(patience)
        while true {
            let left = (end - ContinuousClock.now) / .milliseconds(1)
            guard left > 0, let inputs = reader.read(within: Int32(left.rounded(.up))) else { break }
            var isComplete = false
            for input in inputs {
                switch input {
                case .key(let key): keys.append(key)
                case .reply(let reply): isComplete = capabilities.learn(reply) || isComplete
                }
            }
            if isComplete { break }
        }
        return (capabilities, keys)
    }
}
