// SPDX-License-Identifier: MIT
/// The colours of a terminal, or none.
struct Colours: Sendable {
    let isOn: Bool

    static let none = Colours(isOn: false)

    func failure(_ text: String) -> String { paint("31", text) }
    func dim(_ text: String) -> String { paint("2", text) }
    func bar(_ text: String) -> String { paint("32", text) }

    /// A line in which the first word, the source, is coloured.
    func source(_ source: Outcome.Source, _ line: String) -> String {
        let code =
            switch source {
            case .network: "32"
            case .revalidated: "34"
            case .disk, .memory, .file: "36"
            }
        let word = source.rawValue
        return line.hasPrefix(word) ? paint(code, word) + line.dropFirst(word.count) : line
    }

    private func paint(_ code: String, _ text: String) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
