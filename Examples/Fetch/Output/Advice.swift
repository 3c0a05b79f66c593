// SPDX-License-Identifier: MIT
import PlatformBasics

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

    /// Where the message of the library turns to its caller.
    private static let turns = [
        "; allow its network", ": ask for a smaller picture", "; raise ", "; send an Authorization",
        "; try again later", " Raise ", ": raise ", "; use an absolute",
    ]

    static func message(for code: String, _ message: String, _ url: URL?) -> String {
        let facts =
            turns.compactMap { message.firstRange(of: $0)?.lowerBound }.min().map { message[..<$0] } ?? message[...]
        guard let advice = options[code] ?? special(code, message, url) else { return message }
        let separator = facts.hasSuffix(".") ? " " : ". "
        return facts + separator + advice
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
