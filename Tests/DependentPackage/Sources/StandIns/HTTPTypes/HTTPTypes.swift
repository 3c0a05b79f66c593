// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
/// Stands in for swift-http-types.
public struct HTTPRequest: Sendable {
    public var path: String?
    public init(path: String?) { self.path = path }
}

public struct HTTPResponse: Sendable {
    public struct Status: Sendable {
        public let code: Int
        public init(code: Int) { self.code = code }
        public static var badRequest: Status { Status(code: 400) }
    }

    public var status: Status
    public init(status: Status) { self.status = status }
}
