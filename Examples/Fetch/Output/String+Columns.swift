// SPDX-License-Identifier: MIT
/// Text in the columns of a terminal, where some characters take two and some none.
extension String {
    var columnCount: Int { unicodeScalars.reduce(0) { $0 + $1.columnCount } }

    func padded(to columns: Int) -> String { self + String(repeating: " ", count: max(0, columns - columnCount)) }

    func leftPadded(to columns: Int) -> String { String(repeating: " ", count: max(0, columns - columnCount)) + self }

    /// The text in at most this many columns: when it is longer, its beginning and its end with two dots between.
    ///
    /// - Complexity: O(`columns`).
    func shortened(to columns: Int) -> String {
        guard Self.beginning(of: self, columns).count < count(upTo: columns + 1) else { return self }
        guard columns > 4 else { return String(Self.beginning(of: self, columns)) }
        let end = (columns - 2) / 2
        return String(Self.beginning(of: self, columns - 2 - end)) + ".."
            + String(Self.beginning(of: reversed(), end).reversed())
    }

    /// The same for one of several texts: what they all begin with gives way first.
    func shortened(to columns: Int, sharing shared: Int) -> String {
        guard shared > 2, columns > 8, columnCount > columns else { return shortened(to: columns) }
        return ".." + String(dropFirst(shared)).shortened(to: columns - 2)
    }

    private func count(upTo limit: Int) -> Int { prefix(limit).count }

    /// The characters at the beginning that take at most this many columns.
    private static func beginning(of text: some Sequence<Character>, _ columns: Int) -> [Character] {
        var (result, rest) = ([Character](), columns)
        for character in text {
            rest -= String(character).columnCount
            guard rest >= 0 else { break }
            result.append(character)
        }
        return result
    }
}

extension Unicode.Scalar {
    /// - Source: Unicode Standard Annex 11, for the blocks that are wide as a whole.
    fileprivate var columnCount: Int {
        if (0x20...0x7E).contains(value) { return 1 }
        return switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: 0
        default: Self.wide.contains { $0.contains(value) } ? 2 : 1
        }
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}
