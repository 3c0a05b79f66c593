// SPDX-License-Identifier: MIT
import PlatformBasics

/// The text of `--help`, for 80 columns.
enum Usage {
    static let synopsis = "fetch [options] [URL | FILE | FOLDER | - …]"
    static let summary = """
        Gets pictures from URLs, files, the files of folders, and with - from standard input; checks that they decode, and \
        writes them to a folder, smaller or in another format if asked to. With no picture named it shows itself on a server \
        that it starts on this machine, with generated pictures. Of files of this machine the cache keeps nothing.
        """
    static let status = """
        Exit status: 0 when every picture came, 1 when some failed, 2 for a wrong command line, 130 after Ctrl-C.
        """

    static var text: String {
        let groups = Option.groups.map { group in
            "\(group.title):\n" + group.options.map(lines).joined(separator: "\n")
        }
        return (["usage: \(synopsis)", filled(summary, to: width)] + groups + [filled(status, to: width)])
            .joined(separator: "\n\n")
    }

    private static let width = 80
    private static let indentation = 28

    /// The names, and beside or below them the help.
    private static func lines(_ option: Option) -> String {
        let names = (option.letter == nil ? "      " : "  ") + option.synopsis
        let margin = String(repeating: " ", count: indentation)
        let help = filled(option.help, to: width - indentation).replacing("\n", with: "\n" + margin)
        guard names.count < indentation - 1 else { return names + "\n" + margin + help }
        return names + margin.dropFirst(names.count) + help
    }

    /// The words in lines of at most this many characters.
    static func filled(_ text: String, to width: Int) -> String {
        text.split(separator: " ").reduce(into: [""]) { lines, word in
            if lines[lines.count - 1].isEmpty {
                lines[lines.count - 1] = String(word)
            } else if lines[lines.count - 1].count + 1 + word.count <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }.joined(separator: "\n")
    }
}
