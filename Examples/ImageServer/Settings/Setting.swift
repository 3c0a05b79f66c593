// SPDX-License-Identifier: MIT
import WebImage

/// One option of the server: a flag, and a variable of the environment.
struct Setting: Sendable {
    /// In words joined by hyphens, such as `max-age`.
    let name: String
    /// What the value is called in the help; `nil` for an option that is on or off.
    let placeholder: String?
    let help: String
    /// Reads a value; throws what the option takes.
    let apply: @Sendable (inout Settings, String) throws(SettingsError) -> Void

    var flag: String { "--" + name }
    var variable: String { "IMAGE_SERVER_" + name.uppercased().replacing("-", with: "_") }

    /// An option that is on or off.
    static func on(
        _ name: String, _ help: String, _ path: any WritableKeyPath<Settings, Bool> & Sendable, to value: Bool = true
    ) -> Setting {
        Setting(name: name, placeholder: nil, help: help) { settings, text throws(SettingsError) in
            guard let isOn = ["1": true, "true": true, "0": false, "false": false][text] else {
                throw SettingsError(message: "1, true, 0 or false")
            }
            if isOn { settings[keyPath: path] = value }
        }
    }

    /// An option with a whole number.
    static func number<Value: BinaryInteger & Sendable>(
        _ name: String, _ placeholder: String, _ help: String, in range: ClosedRange<Int>,
        _ set: @escaping @Sendable (inout Settings, Value) -> Void
    ) -> Setting {
        Setting(name: name, placeholder: placeholder, help: help) { settings, text throws(SettingsError) in
            guard let number = Int(text), range.contains(number), let value = Value(exactly: number) else {
                throw SettingsError(message: "a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            set(&settings, value)
        }
    }

    /// An option with a number of bytes, such as 500k, 20M or 1G.
    static func bytes(
        _ name: String, _ help: String, from least: Int = 1,
        _ set: @escaping @Sendable (inout Settings, Int) -> Void
    ) -> Setting {
        Setting(name: name, placeholder: "BYTES", help: help) { settings, text throws(SettingsError) in
            let units: [Character: Int] = ["k": 1_000, "K": 1_000, "M": 1_000_000, "G": 1_000_000_000]
            let unit = text.last.flatMap { units[$0] }
            guard let number = Int(unit == nil ? text[...] : text.dropLast()),
                case let (count, overflows) = number.multipliedReportingOverflow(by: unit ?? 1), !overflows,
                count >= least
            else { throw SettingsError(message: "a number of bytes from \(least), such as 20M or 1G") }
            set(&settings, count)
        }
    }

    /// An option with a number of seconds.
    static func seconds(
        _ name: String, _ help: String, from least: Double = 0.1,
        _ path: any WritableKeyPath<Settings, Duration> & Sendable
    ) -> Setting {
        Setting(name: name, placeholder: "SECONDS", help: help) { settings, text throws(SettingsError) in
            guard let seconds = Double(text), seconds >= least, seconds <= 3_600 else {
                throw SettingsError(message: "a number of seconds from \(least == 0 ? "0" : "\(least)") to 3600")
            }
            settings[keyPath: path] = .seconds(seconds)
        }
    }

    /// An option with a list, whose items are separated by commas or given one by one.
    static func list(
        _ name: String, _ placeholder: String, _ help: String, separator: Character = ",",
        _ add: @escaping @Sendable (inout Settings, Substring) throws(SettingsError) -> Void
    ) -> Setting {
        Setting(name: name, placeholder: placeholder, help: help) { settings, text throws(SettingsError) in
            for item in text.split(separator: separator) { try add(&settings, item) }
        }
    }
}
