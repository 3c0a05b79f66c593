// SPDX-License-Identifier: MIT
import PlatformBasics

/// The text of `--man`, for `man` and `groff -man`.
enum ManualPage {
    static var text: String {
        var lines = [
            #".TH IMAGE\-SERVER 1 "" "swift-web-image \#(Version.number)" "User Commands""#,
            ".SH NAME", #"image\-server \- serve pictures that are made from originals elsewhere"#,
            ".SH SYNOPSIS", #".B image\-server"#, #"[\fIoptions\fR]"#, ".br",
            #".B image\-server sign"#, #"[\fIoptions\fR] \fIOPTIONS SOURCE\-URL\fR"#,
            ".SH DESCRIPTION", escaped(Settings.summary), ".PP", escaped(Settings.words),
        ]
        for group in Setting.groups {
            lines.append(".SH \(group.title.uppercased())")
            for setting in group.settings { lines += item(setting) }
        }
        lines += [
            ".SH ENVIRONMENT", escaped("Each option is also a variable: --max-age is IMAGE_SERVER_MAX_AGE."),
            ".SH EXIT STATUS", ".TP", ".B 0", "Every request was answered.", ".TP", ".B 1",
            "Some were dropped at the end, or the server could not start.", ".TP", ".B 2", "The command line is wrong.",
            ".SH SIGNALS", ".TP", ".B SIGHUP", "Reads the files of keys and presets again.", ".TP", ".B SIGTERM",
            escaped("Finishes the requests within --drain-timeout, and ends; a second one ends at once."),
            ".SH EXAMPLES", ".nf", #"IMAGE_SERVER_KEY=$(openssl rand \-hex 32) image\-server \-\-cache /tmp/pictures"#,
            #"image\-server sign w320,h240,fill https://example.com/photo.jpg"#, ".fi",
        ]
        return lines.joined(separator: "\n")
    }

    private static func item(_ setting: Setting) -> [String] {
        let value = setting.placeholder.map { #" \fI\#(escaped($0))\fR"# } ?? ""
        return [".TP", #"\fB\#(escaped(setting.flag))\fR\#(value)"#, escaped(setting.help)]
    }

    /// A line of text: no character of it is a command to the formatter.
    private static func escaped(_ text: String) -> String {
        let plain = text.replacing(#"\"#, with: #"\e"#).replacing("-", with: #"\-"#).replacing("…", with: "...")
            .replacing("\n", with: " ").replacing("~", with: #"\(ti"#).replacing("^", with: #"\(ha"#)
        return plain.hasPrefix(".") || plain.hasPrefix("'") ? #"\&"# + plain : plain
    }
}
