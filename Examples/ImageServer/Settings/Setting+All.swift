// SPDX-License-Identifier: MIT
import PlatformBasics
import SignedAddresses
import WebImage

extension Setting {
    /// Every option by its subject, in the order of the help. Those of the last group only print a text.
    static let groups: [(title: String, settings: [Setting])] = [
        ("Listening", listening), ("Addresses", addresses), ("Pictures", pictures), ("Several servers", stores),
        ("Buckets", objects), ("Operation", operation), ("Texts", texts),
    ]
    static let everything = groups.flatMap(\.settings)
    /// Every option that changes the settings.
    static let all = groups.dropLast().flatMap(\.settings)

    private static let texts = [
        ("help", nil, "print this"), ("version", nil, "print the version"),
        ("man", nil, "print the manual page: image-server --man | man -l -"),
        ("completions", Shell.allCases.map(\.rawValue).joined(separator: "|"), "print the completions of a shell"),
    ].map { Setting(name: $0.0, placeholder: $0.1, help: $0.2) { _, _ in } }

    private static let listening: [Setting] = [
        Setting(name: "host", placeholder: "ADDRESS", help: "listen on this address (127.0.0.1)") { $0.host = $1 },
        .number("port", "N", "listen on this port; 0 for a free one (8080)", in: 0...65_535) { $0.port = $1 },
        Setting(name: "socket", placeholder: "PATH", help: "listen on a Unix socket instead") { $0.socketPath = $1 },
        Setting(name: "metrics-host", placeholder: "ADDRESS", help: "listen on this address for metrics (127.0.0.1)") {
            $0.metricsHost = $1
        },
        .number("metrics-port", "N", "serve /metrics on this port (8081)", in: 0...65_535) { $0.metricsPort = $1 },
        .on("no-metrics", "serve no metrics", \.hasNoMetrics),
    ]

    private static let addresses: [Setting] = [
        .list("key", "HEX", "sign and check addresses with this key; several for rotation, the first one signs") {
            settings, text throws(SettingsError) in try settings.addKey(text)
        },
        Setting(
            name: "key-file", placeholder: "FILE", help: "keys, one a line; # begins a comment; SIGHUP reads it again"
        ) {
            settings, path throws(SettingsError) in
            let lines = try Settings.lines(of: path)
            guard !lines.isEmpty else { throw SettingsError(message: "a file with a key; \"\(path)\" has none") }
            for line in lines { try settings.addKey(line) }
        },
        .on("unsigned", "serve addresses without a signature, too", \.allowsUnsigned),
        .list("allow-host", "HOST", "fetch from these hosts only; *.example.com for all below example.com") {
            settings, host throws(SettingsError) in
            guard !host.contains("/"), !host.contains(":"), !host.contains("@") else {
                throw SettingsError(message: "a host without scheme, port and path")
            }
            settings.allowedHosts.insert(host.lowercased())
        },
        .on("any-host", "fetch from any host although addresses need no signature", \.allowsAnyHost),
        .list("allow-network", "NETWORK", "fetch from this private network, too, such as 10.1.0.0/16") {
            settings, text throws(SettingsError) in
            guard let network = IPNetwork(text) else {
                throw SettingsError(message: "a network such as 10.1.0.0/16")
            }
            settings.allowedNetworks.append(network)
        },
        .list("preset", "NAME=OPTIONS", "a name for options; several are separated by semicolons", separator: ";") {
            settings, text throws(SettingsError) in try settings.addPreset(text)
        },
        Setting(
            name: "preset-file", placeholder: "FILE",
            help: "presets, one NAME=OPTIONS a line; # begins a comment; SIGHUP reads it again"
        ) { settings, path throws(SettingsError) in
            for line in try Settings.lines(of: path) { try settings.addPreset(line) }
        },
        .on("presets-only", "serve addresses with presets only", \.allowsPresetsOnly),
    ]

    private static let pictures: [Setting] = [
        .number("max-age", "SECONDS", "how long clients may keep a picture (86400)", in: 0...31_536_000) {
            $0.freshness.maximumAge = $1
        },
        Setting(
            name: "cache-control", placeholder: "own|origin|smaller",
            help: "whose lifetime counts: the server's, the origin's, or the shorter one (smaller)"
        ) { settings, text throws(SettingsError) in
            guard let authority = FreshnessRule.Authority(rawValue: text) else {
                throw SettingsError(message: "own, origin or smaller")
            }
            settings.freshness.authority = authority
        },
        Setting(name: "cache", placeholder: "DIR", help: "keep originals and pictures here (memory only)") {
            $0.cacheFolder = URL(filePath: $1).path
        },
        .bytes("cache-size", "what the folder may hold (1G); an original an eighth of it", from: 1_000_000) {
            $0.cacheByteCount = $1
        },
        .number("cache-age", "SECONDS", "what is unused for longer leaves the folder (604800)", in: 1...315_360_000) {
            $0.cacheAge = .seconds($1 as Int)
        },
        Setting(name: "errors", placeholder: "problem|picture", help: "what a failed request gets (problem)") {
            settings, text throws(SettingsError) in
            guard text == "problem" || text == "picture" else { throw SettingsError(message: "problem or picture") }
            settings.errors.ofAll = text == "picture" ? .cross : nil
        },
        Setting(name: "fallback", placeholder: "FILE", help: "the picture in place of one that cannot be loaded") {
            settings, path throws(SettingsError) in
            guard let bytes = FileManager.default.contents(atPath: path), let file = ErrorPictures.File(Array(bytes))
            else { throw SettingsError(message: "a file with a picture; \"\(path)\" is none") }
            settings.errors.fallback = file
        },
        .bytes("memory", "what the memory cache may hold", from: 0) { $0.memoryByteCount = $1 },
        .bytes("max-bytes", "largest original (50M)") { $0.maximumByteCount = $1 },
        .number("max-pixels", "N", "most pixels held of an original at once (50000000)", in: 1...Int.max) {
            $0.maximumPixelCount = $1
        },
        Setting(
            name: "fail-on", placeholder: "never|truncated|any-damage",
            help: "which damage of an original is a failure (truncated); Image-Damage says what others have"
        ) { settings, text throws(SettingsError) in
            switch text {
            case "never": settings.failOn = .never
            case "truncated": settings.failOn = .truncated
            case "any-damage": settings.failOn = .anyDamage
            default: throw SettingsError(message: "never, truncated or any-damage")
            }
        },
        .seconds("source-timeout", "longest time for an original (20)", \.sourceTimeout),
        .number("downloads", "N", "downloads at once (32)", in: 1...10_000) { $0.downloads = $1 },
        .number(
            "connections-per-origin", "N", "of them, and connections, to one origin (as many as --downloads)",
            in: 1...10_000
        ) {
            $0.connectionsPerOrigin = $1
        },
        .number("workers", "N", "pictures that are made at once (one for each core)", in: 1...1_024) {
            $0.workers = $1
        },
        .number("queue", "N", "downloads, and pictures, that may wait (500)", in: 0...100_000) { $0.queue = $1 },
    ]

    private static let operation: [Setting] = [
        .number("loops", "N", "threads that take connections (1)", in: 1...64) { $0.loops = $1 },
        .number(
            "max-connections", "N", "connections; beyond it the oldest idle one is closed (1000)", in: 1...1_000_000
        ) {
            $0.limits.connections = $1
        },
        .number("max-connections-per-address", "N", "connections of one address (no limit)", in: 1...1_000_000) {
            $0.limits.connectionsPerAddress = $1
        },
        .number("max-requests", "N", "requests that are worked on; others get 503 (500)", in: 1...1_000_000) {
            $0.limits.requests = $1
        },
        .number("max-requests-per-connection", "N", "then the connection is closed (1000)", in: 1...Int.max) {
            $0.limits.requestsPerConnection = $1
        },
        .number("max-target", "BYTES", "longest target of a request (8192)", in: 256...65_536) {
            $0.limits.targetByteCount = $1
        },
        .number("max-fields", "N", "fields of a request (64)", in: 4...1_000) { $0.limits.fields = $1 },
        .seconds("head-timeout", "from the connection to the end of the first head (10)", \.limits.headTimeout),
        .seconds("idle-timeout", "from an answer to the end of the next head (15)", \.limits.idleTimeout),
        .seconds("send-timeout", "for one answer (60)", \.limits.sendTimeout),
        .bytes("send-memory", "of answers that wait for their readers (7.5 % of the memory)") {
            $0.limits.waitingByteCount = $1
        },
        .number(
            "min-rate", "BYTES", "least bytes a second of a head and of a reader; 0 for any (240)", in: 0...1_000_000
        ) {
            $0.limits.byteRate = $1
        },
        .seconds("drain-delay", "after SIGTERM, not ready and still serving (0)", from: 0, \.drainDelay),
        .seconds("drain-timeout", "for running requests after SIGTERM (10)", \.drainTimeout),
        .on("no-log", "write no line for each request", \.writesLog, to: false),
        .on("log-loads", "write a line for each step of a load, too, with the id of its request", \.logsLoads),
        .on("page", "show a page at / that tries addresses", \.showsPage),
    ]
}

extension Settings {
    fileprivate var hasNoMetrics: Bool {
        get { metricsPort == nil }
        set { if newValue { metricsPort = nil } }
    }

    /// The lines of a file, without comments, spaces around them and empty ones. A file of more than 1 MB is none.
    fileprivate static func lines(of path: String) throws(SettingsError) -> [Substring] {
        let limit = 1_000_000
        guard let bytes = content(of: path, upTo: limit), let text = String(validating: bytes, as: UTF8.self) else {
            throw SettingsError(message: "a file that can be read, of 1 MB at most; \"\(path)\" is none")
        }
        return text.split(whereSeparator: \.isNewline)
            .map { $0.prefix { $0 != "#" }.trimmed[...] }.filter { !$0.isEmpty }
    }

    /// The bytes of a file; `nil` when it cannot be read, or has more than the limit.
    private static func content(of path: String, upTo limit: Int) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += buffer[..<count]
        }
        return nil
    }

    fileprivate mutating func addKey(_ text: Substring) throws(SettingsError) {
        guard let key = SigningKey(hexadecimal: text) else {
            throw SettingsError(message: "32 hexadecimal digits or more, as from: openssl rand -hex 32")
        }
        keys.append(key)
    }

    fileprivate mutating func addPreset(_ text: Substring) throws(SettingsError) {
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0].utf8.allSatisfy(Self.isNameByte), presets[String(parts[0])] == nil else {
            throw SettingsError(
                message: "NAME=OPTIONS, each name once, with letters, digits, hyphens and underscores")
        }
        guard (try? PictureOptions(parts[0])) == nil else {
            throw SettingsError(message: "names that are no options; \"\(parts[0])\" is one")
        }
        do throws(AddressError) {
            presets[String(parts[0])] = try PictureOptions(parts[1])
        } catch {
            throw SettingsError(message: "valid options for \"\(parts[0])\": \(error.detail)")
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
