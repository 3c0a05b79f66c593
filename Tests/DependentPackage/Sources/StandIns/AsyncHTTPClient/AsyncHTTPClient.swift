// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Stands in for async-http-client.
public final class HTTPClient: Sendable {
    public struct Configuration: Sendable {
        public init() {}
    }

    public let configuration: Configuration
    public init(configuration: Configuration = Configuration()) { self.configuration = configuration }
}
