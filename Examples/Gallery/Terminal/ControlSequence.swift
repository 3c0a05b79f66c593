// SPDX-License-Identifier: MIT
/// A control sequence without its introducer: `ESC [`, an optional mark, numbers, a final byte.
///
/// - Source: ECMA-48, section 5.4; xterm's ctlseqs for the meanings.
struct ControlSequence {
    private let mark: Character?
    private let numbers: [Int]
    private let final: UInt8

    /// Creates a sequence; `nil` when the parameters are not numbers, or are out of range.
    init?(_ bytes: [UInt8], final: UInt8) {
        var text = Substring(String(decoding: bytes, as: UTF8.self))
        mark = text.first.flatMap { "<=>?".contains($0) ? $0 : nil }
        if mark != nil { text.removeFirst() }
        let parts = text.isEmpty ? [] : text.split(separator: ";", omittingEmptySubsequences: false)
        numbers = parts.compactMap { $0.isEmpty ? 0 : Int($0) }
        guard numbers.count == parts.count, numbers.allSatisfy({ (0...100_000).contains($0) }) else { return nil }
        self.final = final
    }

    var meaning: TerminalInput? {
        switch (mark, final) {
        case (nil, UInt8(ascii: "~")): return Self.editingKey(numbers.first ?? 0).map { .key($0) }
        case (nil, UInt8(ascii: "t")) where numbers.count == 3 && numbers[0] == 6:
            return .reply(.cellSize(height: numbers[1], width: numbers[2]))
        case (nil, _): return KeyParser.cursorKey(final).map { .key($0) }
        case ("?", UInt8(ascii: "c")): return .reply(.attributes(numbers))
        case ("<", UInt8(ascii: "M")) where numbers.first == 64: return .key(.wheelUp)
        case ("<", UInt8(ascii: "M")) where numbers.first == 65: return .key(.wheelDown)
        default: return nil
        }
    }

    private static func editingKey(_ number: Int) -> Key? {
        switch number {
        case 1, 7: .home
        case 4, 8: .end
        case 5: .pageUp
        case 6: .pageDown
        default: nil
        }
    }
}
