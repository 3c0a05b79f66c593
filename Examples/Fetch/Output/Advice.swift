// SPDX-License-Identifier: MIT
import PlatformBasics
import WebImage

/// What to do about a failure, in the words of the command line.
enum Advice {
    /// The options that help, by the code of the failure.
    private static let options = [
        "addressNotAllowed": "--allow-private allows it.",
        "bodyTooLarge": "--max-bytes N raises the limit.",
        "certificateExpired": "--insecure accepts it.",
        "certificateHostMismatch": "--insecure accepts it.",
        "certificateNotTrusted": "--insecure accepts it.",
        "connectionLost": "--retry N tries again.",
        "overloaded": "Give fewer pictures at a time.",
        "proxyAuthenticationRequired": "--proxy http://NAME:PASSWORD@HOST:PORT sends a name.",
        "queueTimedOut": "--concurrency N asks for more at once.",
        "redirectNotAllowed": "Give the address that it leads to, if that is the picture.",
        "timedOut": "--timeout SECONDS waits longer.",
        "tooManyOpenFiles": "ulimit -n raises the limit, --concurrency N asks for fewer at once.",
        "truncated": "--fail-on never draws what is there.",
        "truncatedBody": "--retry N tries again.",
        "workLimitExceeded": "--max-pixels N raises this limit, too.",
    ]

    /// What happened, and the option that helps.
    static func message(for error: ImageLoadError) -> String {
        if error.reason == "unsupportedURL", let text = ofScheme(error.url?.scheme?.lowercased()) { return text }
        let isLocal = ["file", LocalPicture.inputURL.scheme].contains(error.url?.scheme?.lowercased())
        if isLocal, error.reason == "emptyBody" { return "Nothing is in it." }
        let summary = ended(withoutNumber(error.summary))
        guard let advice = options[error.reason] ?? special(error.reason, error.message), !advice.isEmpty
        else { return summary }
        return "\(summary) \(advice)"
    }

    private static func special(_ code: String, _ message: String) -> String? {
        switch code {
        case "fileNotAllowed": return message.contains("regular") ? "With - a pipe is read." : ""
        case "invalidRequest" where message.contains("user name or password"):
            return "--user NAME:PASSWORD sends them."
        // Not of sides and frames.
        case "tooLarge", "memoryLimitExceeded":
            let isOption = message.contains("ImageLimits") || message.contains("an animation may have")
            return isOption && !message.contains("frames: ") ? "--max-pixels N raises the limit." : ""
        case "unacceptableStatus" where message.contains(" 401"): return "--user NAME:PASSWORD sends a name."
        case "unacceptableStatus" where [" 429", " 503"].contains(where: { message.contains($0) }):
            return "--retry N tries again."
        case "unsupportedFormat" where message.contains("is an animation of"): return ""
        case "unsupportedFormat" where message.contains("encoder"): return "Name the file .jpg, .png, .gif or .webp."
        case "unsupportedFormat":
            guard let trait = word(after: "package trait ", message), let package = word(after: "install ", message)
            else { return "fetch reads jpeg, png, gif, webp, bmp and ico." }
            return "A fetch built with swift build --traits \(trait) reads it; install \(package) for that."
        default: return nil
        }
    }

    /// What is wrong with a word that begins so; `nil` where the scheme is none of its faults.
    private static func ofScheme(_ scheme: String?) -> String? {
        switch scheme {
        case nil: "There is no such file; a URL has http:// or https:// in front."
        case "http", "https", "file": nil
        case let scheme?: "fetch takes http, https and files, not \"\(scheme)\"."
        }
    }

    /// Without the number by which libcurl calls an error.
    private static func withoutNumber(_ message: String) -> String {
        guard let start = message.firstRange(of: " (libcurl "),
            let end = message[start.upperBound...].firstIndex(of: ")")
        else { return message }
        return String(message[..<start.lowerBound] + message[end...].dropFirst())
    }

    private static func ended(_ text: String) -> String { text.hasSuffix(".") ? text : text + "." }

    private static func word(after start: String, _ text: String) -> String? {
        text.firstRange(of: start).map { text[$0.upperBound...].prefix { $0.isLetter || $0 == "-" }.description }
    }
}
