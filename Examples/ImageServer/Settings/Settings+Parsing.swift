// SPDX-License-Identifier: MIT
import PlatformBasics
import SharedStores
import WebImage

extension Settings {
    /// Reads the environment, then the command line, which goes before it.
    ///
    /// A flag replaces the value of the variable with its name; a flag that is given several times adds to a list.
    /// - Parameters:
    ///   - words: Removed as far as they are options; what remains is not.
    ///   - environment: Variables that begin with `IMAGE_SERVER_` are options; others are ignored.
    /// - Throws: ``SettingsError`` that names the option.
    init(parsing words: inout [String], environment: [String: String]) throws(SettingsError) {
        let given = Set(words.map { String($0.prefix { $0 != "=" }) })
        let variables = Dictionary(uniqueKeysWithValues: Setting.all.map { ($0.variable, $0) })
        // Sorted, so that of several errors the same one is reported in every run.
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix("IMAGE_SERVER_") {
            guard let setting = variables[name] else {
                throw SettingsError(message: "The variable \(name) is no option of this program.")
            }
            if !given.contains(setting.flag) { try Self.apply(setting, value, named: name, to: &self) }
        }
        let flags = Dictionary(uniqueKeysWithValues: Setting.all.map { ($0.flag, $0) })
        var rest = words[...]
        words = []
        while let word = rest.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard word.hasPrefix("--") else {
                words.append(word)
                continue
            }
            guard let setting = flags[parts[0]] else {
                throw SettingsError(message: "There is no option \(parts[0]).")
            }
            if setting.placeholder == nil, parts.count == 1 {
                try Self.apply(setting, "1", named: word, to: &self)
            } else if let value = parts.count == 2 ? parts[1] : rest.popFirst() {
                try Self.apply(setting, value, named: parts[0], to: &self)
            } else {
                throw SettingsError(message: "\(word) needs a value.")
            }
        }
    }

    private static func apply(
        _ setting: Setting, _ value: String, named name: String, to settings: inout Settings
    ) throws(SettingsError) {
        do {
            try setting.apply(&settings, value)
        } catch {
            // A message of a part is a sentence already.
            throw SettingsError(message: "\(name) takes \(error.message)" + (error.message.hasSuffix(".") ? "" : "."))
        }
    }

    /// Finds settings that contradict each other.
    ///
    /// - Throws: ``SettingsError``.
    func check() throws(SettingsError) {
        if allowsUnsigned, allowedHosts.isEmpty, !allowsAnyHost {
            throw SettingsError(
                message: "--unsigned lets every client fetch from everywhere through this server; name the hosts with "
                    + "--allow-host, or say --any-host.")
        }
        if allowsPresetsOnly, presets.isEmpty {
            throw SettingsError(message: "--presets-only needs a --preset.")
        }
        if cacheFolder == nil, cacheByteCount != nil || cacheAge != nil {
            throw SettingsError(message: "--cache-size and --cache-age need a --cache.")
        }
        if objects.store == nil, objects.sources.isEmpty, objects.keyID != nil || objects.endpoint != nil {
            throw SettingsError(message: "Options of a service for buckets need --s3 or --s3-source.")
        }
        do throws(SharedStoreError) {
            _ = try objects.service()
            _ = try objects.storeConfiguration()
        } catch {
            throw SettingsError(message: "The options --s3…: \(error.message)")
        }
        if loops > 1, socketPath != nil {
            throw SettingsError(message: "--loops is for a port; a Unix socket has one thread.")
        }
        if isDemonstration, !allowedHosts.isEmpty || !presets.isEmpty || socketPath != nil {
            throw SettingsError(message: "The server needs a --key, or --unsigned.")
        }
    }

    static let summary = """
        Serves pictures that it makes from originals elsewhere, at /{options or preset}/{signature}/{source}. With no key
        and without --unsigned it shows itself, offline, with generated pictures from a server on this machine.
        """

    static let words = """
        Options of a picture, joined by commas: w1…8192, h1…8192, dpr1…5, fit, cover, fill, stretch, for fill a gravity
        (center, top, bottomleft, …, g30:60), bgRRGGBB, auto, original, jpeg, png, gif, webp, q1…100, still, strip; and last
        expSECONDS, the second since 1970 from which the address is refused.
        """

    static let usage = """
        usage: image-server [options]
               image-server sign [options] OPTIONS SOURCE-URL      prints an address, signed with the first key

        \(summary)

        Each option is also a variable of the environment: --max-age is IMAGE_SERVER_MAX_AGE.

        \(Setting.groups.map { "\($0.title):\n" + $0.settings.map(\.line).joined(separator: "\n") }
            .joined(separator: "\n\n"))

        \(words)
        """

    /// What an option asks to print and nothing else; `nil` when none does.
    ///
    /// - Throws: ``SettingsError`` for a shell that there are no completions for.
    static func text(_ words: [String]) throws(SettingsError) -> String? {
        if words.contains("--help") || words.contains("-h") { return usage }
        if words.contains("--version") { return "image-server \(Version.number)" }
        if words.contains("--man") { return ManualPage.text }
        guard let place = words.firstIndex(where: { $0 == "--completions" || $0.hasPrefix("--completions=") }) else {
            return nil
        }
        let next =
            words[place].contains("=") ? words[place].dropFirst(14) : words.dropFirst(place + 1).first?[...] ?? ""
        guard let shell = Shell(rawValue: String(next)) else {
            throw SettingsError(message: "--completions takes bash, zsh or fish.")
        }
        return shell.completions
    }
}

extension Setting {
    fileprivate var line: String {
        let left = "  \(flag)\(placeholder.map { " " + $0 } ?? "")"
        return left + String(repeating: " ", count: max(1, 42 - left.count)) + help
    }
}
