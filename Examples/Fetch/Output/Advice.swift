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
        "memoryLimitExceeded": "This machine has no more for it.",
        "queueTimedOut": "--concurrency N asks for more at once.",
        "timedOut": "--timeout SECONDS waits longer.",
        "tooLarge": "--max-pixels N raises the limit.",
    ]

    /// What happened, and the option that helps.
    static func message(for error: ImageLoadError) -> String {
        let (code, summary) = (error.reason, error.summary)
        guard let advice = options[code] ?? special(code, summary, error.url) else { return summary }
        return summary + (summary.hasSuffix(".") ? " " : ". ") + advice
    }

    private static func special(_ code: String, _ message: String, _ url: URL?) -> String? {
        switch code {
        case "invalidRequest" where message.contains("user name or password"): "--user NAME:PASSWORD sends them."
        case "unsupportedFormat" where message.contains("encoder"): "Name the file .jpg, .png, .gif or .webp."
        case "unsupportedURL" where url?.scheme == nil: "Write it in full, with https:// in front."
        case "unsupportedURL": "fetch takes http and https."
        default: nil
        }
    }
}
