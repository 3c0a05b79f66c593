// SPDX-License-Identifier: MIT
import WebImage

extension Options {
    /// - Throws: ``UsageError`` with a message that names the word that is wrong.
    init(parsing words: [String]) throws(UsageError) {
        var words = words[...]
        while let word = words.popFirst() {
            if word == "--" {
                urls += words
                break
            } else if word.hasPrefix("--") {
                try apply(named: word, &words)
            } else if word.hasPrefix("-"), word != LocalPicture.inputWord {
                try apply(letters: word, &words)
            } else {
                urls.append(word)
            }
        }
        try check()
    }

    /// `--name`, `--name value` or `--name=value`.
    private mutating func apply(named word: String, _ words: inout ArraySlice<String>) throws(UsageError) {
        let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let option = Option.table.first(where: { $0.name == parts[0] }) else {
            throw UsageError(message: "unknown option --\(String(parts[0]).printable)")
        }
        let given = parts.count > 1 ? String(parts[1]) : nil
        guard option.value != nil else {
            guard given == nil else {
                throw UsageError(message: "\(word.printable): --\(option.name) takes no value")
            }
            return try option.apply(&self, "")
        }
        if let given {
            guard !given.isEmpty else { throw UsageError(message: "--\(option.name) needs a value") }
            try option.apply(&self, given)
        } else {
            try option.apply(&self, Self.value(of: "--\(option.name)", &words))
        }
    }

    /// `-q`, `-qv`, `-o value` or `-ovalue`.
    private mutating func apply(letters word: String, _ words: inout ArraySlice<String>) throws(UsageError) {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = Option.table.first(where: { $0.letter == letter }) else {
                throw UsageError(message: "unknown option -\(String(letter).printable) in \(word.printable)")
            }
            guard option.value != nil else {
                try option.apply(&self, "")
                continue
            }
            return try option.apply(
                &self, letters.isEmpty ? Self.value(of: "-\(letter)", &words) : String(letters))
        }
    }

    private static func value(of option: String, _ words: inout ArraySlice<String>) throws(UsageError) -> String {
        // A folder may be called `--json`, but a forgotten value is more common. `./--json` names such a folder.
        guard let value = words.popFirst(), !value.isEmpty, !value.hasPrefix("--") else {
            throw UsageError(message: "\(option) needs a value")
        }
        return value
    }

    /// Options that contradict each other.
    private mutating func check() throws(UsageError) {
        format = format.with(encode)
        try takeFormatOfNames()
        if action != .fetch, contactSheet != nil {
            throw UsageError(message: "--contact-sheet is for pictures that are fetched")
        }
        if action == .info, file != nil || showsPictures || contactSheet != nil {
            throw UsageError(
                message: "--info writes and shows no picture; leave --output, --contact-sheet and --show out")
        }
        if showsPictures, writesJSON || isQuiet || writesPicture {
            throw UsageError(message: "--show is for readers; leave --json, --quiet and --output - out")
        }
        guard let file else { return }
        guard file == "-" || !file.hasSuffix("/") else {
            throw UsageError(message: "--output takes a file; --out takes a folder, such as \(file.printable)")
        }
        if name != nil { throw UsageError(message: "--output names the file; leave --name out") }
        if folder != nil { throw UsageError(message: "--output names the file with its folder; leave --out out") }
        if file == "-", writesJSON {
            throw UsageError(message: "--output - and --json both need standard output; leave one out")
        }
    }

    /// The names of the files decide their format. What comes in it need not be written again, unless something is made
    /// of it.
    private mutating func takeFormatOfNames() throws(UsageError) {
        guard let text = fileExtension, let named = ImageFormat(fileExtension: text) else { return }
        let encoded = EncodedFormat(named, options: encode)
        if let formatName {
            guard format == .encoded(encoded) else {
                throw UsageError(
                    message: """
                        .\(text.printable) names \(named.name), which is not --format \(formatName); \
                        leave --format out, or name the file otherwise
                        """)
            }
        } else if transformers.isEmpty, encode == EncodeOptions() {
            fileFormat = encoded
        } else {
            format = .encoded(encoded)
        }
    }
}
