// SPDX-License-Identifier: MIT
/// One option: its names, its value, its help, and what it does. Parsing, `--help`, the manual page and the completions
/// of the shells are all made from ``table``.
struct Option: Sendable {
    /// With two dashes.
    let name: String
    /// With one dash.
    let letter: Character?
    let value: Value?
    let help: String
    let apply: @Sendable (inout Options, String) throws(UsageError) -> Void

    /// The value that an option takes.
    struct Value: Sendable {
        /// As the help shows it.
        let name: String
        let kind: Kind

        /// What a shell offers for the value.
        enum Kind: Sendable {
            case text
            case file
            case folder
            case words([String])
        }
    }

    /// An option with a value.
    init(
        _ name: String, _ letter: Character? = nil, _ value: String, _ kind: Value.Kind = .text, help: String,
        apply: @escaping @Sendable (inout Options, String) throws(UsageError) -> Void
    ) {
        (self.name, self.letter, self.help, self.apply) = (name, letter, help, apply)
        self.value = Value(name: value, kind: kind)
    }

    /// An option without a value.
    init(
        _ name: String, _ letter: Character? = nil, help: String, apply: @escaping @Sendable (inout Options) -> Void
    ) {
        (self.name, self.letter, self.help, value) = (name, letter, help, nil)
        self.apply = { options, _ in apply(&options) }
    }

    /// Both names, and the value: `-o, --output FILE`.
    var synopsis: String {
        (letter.map { "-\($0), " } ?? "") + "--" + name + (value.map { " " + $0.name } ?? "")
    }
}

extension Option {
    /// Options that belong together.
    struct Group: Sendable {
        let title: String
        let options: [Option]
    }

    static let groups = [pictures, encoding, files, caching, network, reporting, about]
    static let table = groups.flatMap(\.options)
}
