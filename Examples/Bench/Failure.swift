// SPDX-License-Identifier: MIT
/// A failure in the set-up or the work of a measurement.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
