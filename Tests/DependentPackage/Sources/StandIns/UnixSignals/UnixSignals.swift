// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Stands in for swift-service-lifecycle 2.
public struct UnixSignal: Hashable, Sendable {
    private let number: Int32
    public static let sigint = UnixSignal(number: 2)
    public static let sigterm = UnixSignal(number: 15)
}
