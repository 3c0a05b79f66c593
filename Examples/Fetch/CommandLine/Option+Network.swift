// SPDX-License-Identifier: MIT
import WebImage

extension Option {
    static let network = Group(
        title: "Network",
        options: [
            Option(
                "header", "H", "FIELD",
                help: "Send this field, \"Name: value\". Pictures that come with it are cached apart."
            ) { options, text throws(UsageError) in
                let field = try Reading.field(text)
                options.headers.append(name: field.name, value: field.value)
            },
            Option("user-agent", "A", "NAME", help: "Send this as User-Agent.") { options, text in
                options.headers["User-Agent"] = text
            },
            Option("user", "u", "NAME:PASSWORD", help: "Send this to the origin, and not where it redirects to.") {
                options, text throws(UsageError) in
                _ = try Reading.credential(text)
                options.user = text
            },
            Option("proxy", "x", "URL", help: "Ask through this http, https or socks5h proxy.") {
                options, text throws(UsageError) in
                (options.proxy, options.proxyCredential) = try Reading.proxy(text)
            },
            Option("retry", nil, "N", help: "Try again up to N times after lost connections and statuses like 503 (0).")
            { options, text throws(UsageError) in
                options.retries = try Reading.number(text, of: "--retry", in: 0...100)
            },
            Option("timeout", nil, "SECONDS", help: "The longest time for one try (60).") {
                options, text throws(UsageError) in options.timeout = try Reading.seconds(text, of: "--timeout")
            },
            Option("concurrency", "j", "N", help: "Downloads at once (6).") { options, text throws(UsageError) in
                options.concurrency = try Reading.number(text, of: "--concurrency", in: 1...1_000)
            },
            Option("max-bytes", nil, "N", help: "The largest body (100M, less in small containers).") {
                options, text throws(UsageError) in
                options.maximumBytes = try Reading.count(text, of: "--max-bytes")
            },
            Option("allow-private", nil, help: "Allow loopback and private addresses.") { $0.allowsPrivate = true },
            Option("insecure", nil, help: "Accept any certificate.") { $0.isInsecure = true },
        ])

    static let reporting = Group(
        title: "Report",
        options: [
            Option("show", "s", help: "Show the pictures on the terminal, and write no file without --out or --output.")
            {
                $0.showsPictures = true
            },
            Option(
                "info", nil,
                help: """
                    Print what each picture is: size, frames, format, bytes, colours, orientation, camera, time, and whether a \
                    place is in it. Nothing is decoded or written.
                    """
            ) { $0.action = .info },
            Option("json", nil, help: "Print one JSON object per picture.") { $0.writesJSON = true },
            Option("quiet", "q", help: "Print failures only.") { $0.isQuiet = true },
            Option("verbose", "v", help: "Say what the origin answered, and how long each step took.") {
                $0.isVerbose = true
            },
        ])

    static let about = Group(
        title: "About",
        options: [
            Option("help", "h", help: "Print this.") { $0.action = .help },
            Option("version", "V", help: "Print the version.") { $0.action = .version },
            Option(
                "serve", nil, "PORT",
                help: "Serve the pictures of the demonstration on this port of 127.0.0.1, and print their URLs."
            ) { options, text throws(UsageError) in
                let port = try Reading.number(text, of: "--serve", in: 0...65_535)
                options.action = .serve(port: UInt16(port))
            },
            Option("man", nil, help: "Print the manual page: fetch --man | man -l -") { $0.action = .manPage },
            Option(
                "completions", nil, "SHELL", .words(Shell.allCases.map(\.rawValue)),
                help: "Print completions for bash, zsh or fish."
            ) { options, text throws(UsageError) in
                guard let shell = Shell(rawValue: text) else {
                    throw UsageError(message: "--completions takes bash, zsh or fish, not \(text.printable)")
                }
                options.action = .completions(shell)
            },
        ])
}
