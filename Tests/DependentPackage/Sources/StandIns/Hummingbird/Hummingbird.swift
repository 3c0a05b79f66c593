// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
@_exported public import struct HTTPTypes.HTTPRequest
@_exported public import struct HTTPTypes.HTTPResponse

/// Stands in for hummingbird 2, which exports two names of swift-http-types.
public struct HTTPError: Error {
    public let status: HTTPResponse.Status
    public init(_ status: HTTPResponse.Status, message: String? = nil) { self.status = status }
}
