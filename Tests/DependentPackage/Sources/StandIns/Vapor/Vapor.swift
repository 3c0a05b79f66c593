// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import Foundation
@_exported public import Logging
public import Tracing

@_exported public import class AsyncHTTPClient.HTTPClient
@_exported public import struct NIOCore.ByteBuffer
@_exported public import struct NIOCore.ByteBufferAllocator
@_exported public import struct NIOHTTP1.HTTPHeaders
@_exported public import enum NIOHTTP1.HTTPResponseStatus
@_exported public import struct NIOHTTP1.HTTPVersion

// Stands in for vapor 4, which exports Foundation and names of async-http-client, swift-nio and swift-log.

extension HTTPHeaders {
    public struct Name: Sendable {
        public let name: String
        public static let ifNoneMatch = Name(name: "If-None-Match")
    }

    public subscript(name: Name) -> [String] { self[name.name] }
}

public struct Environment: Sendable {
    public static func detect(arguments: [String] = ProcessInfo.processInfo.arguments) throws -> Environment {
        Environment()
    }
    public static func get(_ key: String) -> String? { nil }
    public static var development: Environment { Environment() }
}

public struct URI: Sendable {
    public var string: String { "" }
}

public final class Request: Sendable {
    public var url: URI { URI() }
    public var headers: HTTPHeaders { HTTPHeaders() }
    public var serviceContext: ServiceContext { .topLevel }
}

public protocol VaporSendableMetatype {}

public protocol ResponseEncodable: VaporSendableMetatype {}

public protocol AsyncResponseEncodable: VaporSendableMetatype {}

public final class Response: Sendable, ResponseEncodable, AsyncResponseEncodable {
    public struct Body: Sendable {
        public static let empty: Body = .init()
        public init(byteBufferAllocator: ByteBufferAllocator = ByteBufferAllocator()) {}
        public init(buffer: ByteBuffer, byteBufferAllocator: ByteBufferAllocator = ByteBufferAllocator()) {}
    }

    public convenience init(
        status: HTTPResponseStatus = .ok, version: HTTPVersion = .init(major: 1, minor: 1),
        headers: HTTPHeaders = .init(), body: Body = .empty
    ) { self.init(status: status, version: version, headersNoUpdate: headers, body: body) }

    public init(status: HTTPResponseStatus, version: HTTPVersion, headersNoUpdate headers: HTTPHeaders, body: Body) {}
}

public protocol Middleware: Sendable {}

public final class TracingMiddleware: Middleware {
    public init() {}
}

public struct Middlewares: Sendable {
    public enum Position: Sendable { case beginning, end }
    public mutating func use(_ middleware: any Middleware, at position: Position = .end) {}
}

public struct PathComponent: Sendable, ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {}
}

public final class Route: Sendable {}

public protocol RoutesBuilder {}

extension RoutesBuilder {
    @discardableResult
    public func get<Response: VaporSendableMetatype>(
        _ path: PathComponent..., use closure: @Sendable @escaping (Request) throws -> Response
    ) -> Route where Response: ResponseEncodable { Route() }

    @discardableResult
    public func get<Response: VaporSendableMetatype>(
        _ path: PathComponent..., use closure: @Sendable @escaping (Request) async throws -> Response
    ) -> Route where Response: AsyncResponseEncodable { Route() }
}

public final class Application: Sendable, RoutesBuilder {
    public static func make(_ environment: Environment = .development) async throws -> Application { Application() }

    public var logger: Logger {
        get { Logger(label: "vapor") }
        set { _ = newValue }
    }
    public var middleware: Middlewares {
        get { Middlewares() }
        set { _ = newValue }
    }

    public func execute() async throws {}
    public func asyncShutdown() async throws {}
}
