// SPDX-License-Identifier: MIT
/// The version of the package. `CHANGELOG.md` begins with the same one.
enum Version {
    static let number = "0.1.0"
}
