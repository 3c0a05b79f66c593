// SPDX-License-Identifier: MIT
import PlatformBasics

/// The text of `--man`, for `man` and `groff -man`.
enum ManualPage {
    static var text: String {
        var lines = [
            #".TH FETCH 1 "" "swift-web-image \#(Version.number)" "User Commands""#,
            ".SH NAME", #"fetch \- download and convert pictures"#,
            ".SH SYNOPSIS", #".B fetch"#, #"[\fIoptions\fR] [\fIURL\fR | \fIFILE\fR | \fIFOLDER\fR | \- ...]"#,
            ".SH DESCRIPTION", Usage.summary.quotedForManual,
        ]
        for group in Option.groups {
            lines.append(".SH \(group.title.uppercased())")
            for option in group.options { lines += [".TP", names(option), option.help.quotedForManual] }
        }
        lines += [".SH EXIT STATUS"]
        for (status, meaning) in [
            ("0", "Every picture came."), ("1", "Some failed."), ("2", "The command line is wrong."),
            ("130", "Ctrl-C ended it."),
        ] {
            lines += [".TP", ".B " + status, meaning]
        }
        lines += [
            ".SH ENVIRONMENT", ".TP", ".B NO_COLOR", "Not empty: no colours.",
            ".TP", ".B XDG_CACHE_HOME", #"Where the cache is, instead of \fI~/.cache\fR."#,
            ".SH EXAMPLES", ".nf", #"fetch \-\-resize 800x \-\-format webp https://example.org/photo.jpg"#,
            #"fetch photos \-\-resize 800x \-\-out small \-\-name '{stem}.webp'"#,
            #"fetch \-o \- https://example.org/photo.jpg | display"#,
            #"fetch \-\-info photo.jpg"#,
            #"fetch \-\-json \-\-input list.txt > report.jsonl"#, ".fi",
        ]
        return lines.joined(separator: "\n")
    }

    /// `\fB\-o\fR, \fB\-\-output\fR \fIFILE\fR`.
    private static func names(_ option: Option) -> String {
        let letter = option.letter.map { #"\fB\-\#($0)\fR, "# } ?? ""
        let value = option.value.map { #" \fI\#($0.name.quotedForManual)\fR"# } ?? ""
        return letter + #"\fB\-\-\#(option.name.quotedForManual)\fR"# + value
    }
}
