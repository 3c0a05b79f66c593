// SPDX-License-Identifier: MIT
/// The version of the package, for all its programs. `CHANGELOG.md` begins with the same one.
///
/// Each program has this file in its folder, as a link.
enum Version {
    static let number = "0.2.0"

    /// Prints `NAME X.Y.Z` when that is all the command line asks for.
    ///
    /// - Returns: Whether it did, so that the program can end.
    static func isPrinted(for name: String) -> Bool {
        guard CommandLine.arguments.dropFirst().elementsEqual(["--version"]) else { return false }
        print("\(name) \(number)")
        return true
    }
}
