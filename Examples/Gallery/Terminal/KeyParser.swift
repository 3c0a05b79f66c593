// SPDX-License-Identifier: MIT
/// Turns the bytes of a terminal into keys and answers, in pieces of any size.
///
/// No sequence holds more than ``KeyParser/limit`` bytes in memory; longer ones are skipped to their end.
struct KeyParser {
    static let limit = 256

    private enum State {
        case ground
        case escape
        /// After `ESC O`.
        case singleShift
        case control([UInt8])
        /// Between `ESC _`, `ESC P` or `ESC ]` and the end of the string.
        case string(kind: UInt8, [UInt8])
        case stringEscape(kind: UInt8, [UInt8])
    }

    private var state = State.ground

    /// Whether the bytes so far may be the beginning of a longer sequence.
    var isInsideSequence: Bool { if case .ground = state { false } else { true } }

    /// Ends the input: an escape without a following byte is the Escape key.
    mutating func flush() -> TerminalInput? {
        defer { state = .ground }
        if case .escape = state { return .key(.escape) }
        return nil
    }

    mutating func parse(_ bytes: some Sequence<UInt8>) -> [TerminalInput] { bytes.compactMap { take($0) } }

    mutating func take(_ byte: UInt8) -> TerminalInput? {
        switch state {
        case .ground: return ground(byte)
        case .escape: return escape(byte)
        case .singleShift:
            state = .ground
            return Self.cursorKey(byte).map { .key($0) }
        case .control(let bytes): return control(byte, bytes)
        case .string(let kind, let bytes):
            if byte == 0x1B {
                state = .stringEscape(kind: kind, bytes)
            } else if byte == 0x07 {
                return endString(kind, bytes)
            } else if bytes.count < Self.limit {
                state = .string(kind: kind, bytes + [byte])
            }
            return nil
        case .stringEscape(let kind, let bytes):
            if byte == UInt8(ascii: "\\") { return endString(kind, bytes) }
            // Another sequence has interrupted the string.
            state = .escape
            return escape(byte)
        }
    }

    private mutating func ground(_ byte: UInt8) -> TerminalInput? {
        switch byte {
        case 0x1B:
            state = .escape
            return nil
        case 0x03: return .key(.interrupt)
        case 0x1A: return .key(.suspend)
        case 0x0C: return .key(.redraw)
        case 0x0D, 0x0A: return .key(.enter)
        case 0x08, 0x7F: return .key(.backspace)
        case 0x20..<0x7F: return .key(.character(Character(Unicode.Scalar(byte))))
        default: return nil
        }
    }

    private mutating func escape(_ byte: UInt8) -> TerminalInput? {
        switch byte {
        case 0x1B: return .key(.escape)
        case UInt8(ascii: "["): state = .control([])
        case UInt8(ascii: "O"): state = .singleShift
        case UInt8(ascii: "_"), UInt8(ascii: "P"), UInt8(ascii: "]"): state = .string(kind: byte, [])
        default:
            state = .ground
            return ground(byte)
        }
        return nil
    }

    private mutating func control(_ byte: UInt8, _ bytes: [UInt8]) -> TerminalInput? {
        switch byte {
        case 0x20..<0x40:
            if bytes.count < Self.limit { state = .control(bytes + [byte]) }
            return nil
        case 0x40..<0x7F:
            state = .ground
            return ControlSequence(bytes, final: byte)?.meaning
        default:
            state = .ground
            return ground(byte)
        }
    }

    private mutating func endString(_ kind: UInt8, _ bytes: [UInt8]) -> TerminalInput? {
        state = .ground
        guard kind == UInt8(ascii: "_"), bytes.first == UInt8(ascii: "G") else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return .reply(.kitty(isOK: text.hasSuffix(";OK")))
    }

    static func cursorKey(_ final: UInt8) -> Key? {
        switch final {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        default: nil
        }
    }
}
