// SPDX-License-Identifier: MIT
import PlatformBasics

/// A system call that failed.
struct SystemError: Error, Equatable {
    let number: Int32

    /// The failure that was just reported through `errno`.
    static var last: SystemError { SystemError(number: errno) }

    /// The system's words for it, such as "No space left on device".
    var message: String { unsafe String(cString: strerror(number)) }
}
