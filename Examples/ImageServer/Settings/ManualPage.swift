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
            ".SH DESCRIPTION", Settings.summary.quotedForManual, ".PP", Settings.words.quotedForManual,
        ]
        for group in Setting.groups {
            lines.append(".SH \(group.title.uppercased())")
            for setting in group.settings { lines += item(setting) }
        }
        lines += [
            ".SH ENVIRONMENT", "Each option is also a variable: --max-age is IMAGE_SERVER_MAX_AGE.".quotedForManual,
            ".SH EXIT STATUS", ".TP", ".B 0", "Every request was answered.", ".TP", ".B 1",
            "Some were dropped at the end, or the server could not start.", ".TP", ".B 2", "The command line is wrong.",
            ".SH SIGNALS", ".TP", ".B SIGHUP", "Reads the files of keys and presets again.", ".TP", ".B SIGTERM",
            "Finishes the requests within --drain-timeout, and ends; a second one ends at once.".quotedForManual,
            ".SH EXAMPLES", ".nf", #"IMAGE_SERVER_KEY=$(openssl rand \-hex 32) image\-server \-\-cache /tmp/pictures"#,
            #"image\-server sign w320,h240,fill https://example.com/photo.jpg"#, ".fi",
        ]
        return lines.joined(separator: "\n")
    }

    private static func item(_ setting: Setting) -> [String] {
        let value = setting.placeholder.map { #" \fI\#($0.quotedForManual)\fR"# } ?? ""
        return [".TP", #"\fB\#(setting.flag.quotedForManual)\fR\#(value)"#, setting.help.quotedForManual]
    }
}
