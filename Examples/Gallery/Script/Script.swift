// SPDX-License-Identifier: MIT
import WebImageBinding

/// A recorded sequence of keys.
///
/// Words, separated by white space: the names of keys, `wait` until every picture has arrived, `tick:500` to let half a
/// second of the script's own time pass, `size:120x40` to resize the window, `cut` to begin the animation of `--gif`
/// only here. Any other word is typed letter by letter. `down*40` does something forty times. A line that begins with
/// `#` is a comment.
struct Script: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case key(Key)
        case wait
        case cut
        case tick(milliseconds: Int)
        case resize(columns: Int, rows: Int)
    }

    static let stepLimit = 100_000
    private(set) var steps: [Step] = []

    /// - Throws: ``UsageError`` that names the word that is wrong.
    init(_ text: String) throws(UsageError) {
        for line in text.split(whereSeparator: \.isNewline) where line.first != "#" {
            for word in line.split(whereSeparator: \.isWhitespace) { try add(String(word)) }
        }
    }

    private mutating func add(_ word: String) throws(UsageError) {
        var name = word
        var count = 1
        if word.count > 2, let star = word.lastIndex(of: "*"), star != word.startIndex {
            guard let number = Int(word[word.index(after: star)...]), (1...Self.stepLimit).contains(number) else {
                throw UsageError(message: "a script can not do this: \(word)")
            }
            count = number
            name = String(word[..<star])
        }
        let once = try Self.steps(name)
        guard steps.count + once.count * count <= Self.stepLimit else {
            throw UsageError(message: "a script has at most \(Self.stepLimit) steps")
        }
        for _ in 0..<count { steps += once }
    }

    private static func steps(_ word: String) throws(UsageError) -> [Step] {
        if word == "wait" { return [.wait] }
        if word == "cut" { return [.cut] }
        if let key = keys[word] { return [.key(key)] }
        let parts = word.split(separator: ":", maxSplits: 1).map(String.init)
        if parts.count == 2, parts[0] == "tick", let time = Int(parts[1]), (0...3_600_000).contains(time) {
            return [.tick(milliseconds: time)]
        }
        if parts.count == 2, parts[0] == "size", let size = Options.size(parts[1], limit: 1_000) {
            return [.resize(columns: size.width, rows: size.height)]
        }
        guard word.count == 1 || word.allSatisfy(\.isNumber) else {
            throw UsageError(message: "a script can not do this: \(word)")
        }
        return word.map { .key(.character($0)) }
    }

    private static let keys: [String: Key] = [
        "up": .up, "down": .down, "left": .left, "right": .right, "pageup": .pageUp, "pagedown": .pageDown,
        "home": .home, "end": .end, "enter": .enter, "escape": .escape, "backspace": .backspace,
        "wheelup": .wheelUp, "wheeldown": .wheelDown,
    ]
}
