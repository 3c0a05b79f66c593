// SPDX-License-Identifier: MIT
import PlatformBasics

/// How texts of a command line stand in manual pages and in completions. `image-server` has this file as a link.
extension String {
    /// A line of a manual page: no character of it is a command to the formatter.
    var quotedForManual: String {
        let plain = replacing(#"\"#, with: #"\e"#).replacing("-", with: #"\-"#).replacing("…", with: "...")
            .replacing("\n", with: " ").replacing("~", with: #"\(ti"#).replacing("^", with: #"\(ha"#)
        return plain.hasPrefix(".") || plain.hasPrefix("'") ? #"\&"# + plain : plain
    }

    /// A text between single quotes of zsh, in which these characters mean something to `_arguments`.
    func quotedForZsh(_ special: String) -> String {
        map { $0 == "'" ? #"'\''"# : special.contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }

    /// A text between single quotes of fish.
    var quotedForFish: String { replacing(#"\"#, with: #"\\"#).replacing("'", with: #"\'"#) }
}
