// SPDX-License-Identifier: MIT
import PlatformBasics

/// A server that cannot start.
struct ServerError: Error {
    /// What failed and what to do about it.
    let message: String

    /// The system call that was just reported to have failed through `errno`.
    static func system(_ what: String) -> ServerError {
        let reason = unsafe String(cString: strerror(errno))
        return ServerError(message: "\(what): \(reason).")
    }
}
