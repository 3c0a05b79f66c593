// SPDX-License-Identifier: MIT
import HTTPTransport
import PlatformBasics
import WebImage

/// Reads the values of options.
enum Reading {
    private static let metadata: [(name: String, part: ImageMetadata.Parts)] = [
        ("orientation", .orientation), ("profile", .colorProfile), ("copyright", .copyright), ("all", .all),
    ]
    static let metadataNames = "some of orientation, profile and copyright, with commas, or all"

    /// Names of metadata with commas between them.
    static func metadata(_ text: String, of option: String) throws(UsageError) -> ImageMetadata.Parts {
        var parts: ImageMetadata.Parts = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let known = metadata.first(where: { $0.name == name }) else {
                throw UsageError(message: "\(option) takes \(metadataNames), not \(text.printable)")
            }
            parts.formUnion(known.part)
        }
        return parts
    }

    static let damagePolicies: [(name: String, policy: DamagePolicy)] = [
        ("never", .never), ("truncated", .truncated), ("any-damage", .anyDamage),
    ]

    static func damagePolicy(_ text: String, of option: String) throws(UsageError) -> DamagePolicy {
        guard let known = damagePolicies.first(where: { $0.name == text }) else {
            throw UsageError(message: "\(option) takes never, truncated or any-damage, not \(text.printable)")
        }
        return known.policy
    }

    static func number(
        _ text: String, of option: String, in range: ClosedRange<Int>
    ) throws(UsageError) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw UsageError(
                message:
                    "\(option) takes a whole number from \(range.lowerBound) to \(range.upperBound), not \(text.printable)"
            )
        }
        return number
    }

    /// A number with k, M or G for thousands, millions or billions.
    static func count(_ text: String, of option: String, from least: Int = 1) throws(UsageError) -> Int {
        let units: [Character: Int] = ["k": 1_000, "K": 1_000, "M": 1_000_000, "G": 1_000_000_000]
        let unit = text.last.flatMap { units[$0] }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard let number = Int(digits), case let (count, overflow) = number.multipliedReportingOverflow(by: unit ?? 1),
            !overflow, count >= least
        else { throw UsageError(message: "\(option) takes a number such as 500k, 20M or 1G, not \(text.printable)") }
        return count
    }

    static func seconds(_ text: String, of option: String) throws(UsageError) -> Duration {
        guard let seconds = Double(text), seconds > 0, seconds <= 86_400 else {
            throw UsageError(message: "\(option) takes a number of seconds up to 86400, not \(text.printable)")
        }
        return .seconds(seconds)
    }

    static func field(_ text: String) throws(UsageError) -> HTTPHeaders.Field {
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
            throw UsageError(message: "--header takes \"Name: value\", not \(text.printable)")
        }
        let value = text[text.index(after: colon)...].trimmed
        return HTTPHeaders.Field(name: String(text[..<colon]), value: value)
    }

    /// The message does not repeat the value, which is a secret.
    static func credential(_ text: String) throws(UsageError) -> HTTPCredential {
        guard let colon = text.firstIndex(of: ":") else {
            throw UsageError(message: "--user takes a name and a password with a colon between them")
        }
        return .basic(user: String(text[..<colon]), password: String(text[text.index(after: colon)...]))
    }

    static func proxy(_ text: String) throws(UsageError) -> (URL, HTTPCredential?) {
        guard var parts = URLComponents(string: text), ["http", "https", "socks5h"].contains(parts.scheme),
            parts.host?.isEmpty == false
        else { throw UsageError(message: "--proxy takes a URL with http, https or socks5h, not \(text.printable)") }
        let credential = parts.user.map { HTTPCredential.basic(user: $0, password: parts.password ?? "") }
        (parts.user, parts.password) = (nil, nil)
        guard let url = parts.url else { throw UsageError(message: "--proxy takes a URL, not \(text.printable)") }
        return (url, credential)
    }
}
