// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Logging
public import ServiceLifecycle
public import UnixSignals

@_exported public import struct HTTPTypes.HTTPFields
@_exported public import struct HTTPTypes.HTTPRequest
@_exported public import struct HTTPTypes.HTTPResponse
@_exported public import struct NIOCore.ByteBuffer

// Stands in for hummingbird 2, which exports names of swift-http-types and swift-nio.

public struct HTTPError: Error, Sendable {
    public var status: HTTPResponse.Status
    public init(_ status: HTTPResponse.Status) { self.status = status }
    public init(_ status: HTTPResponse.Status, message: String) { self.status = status }
}

public struct Environment: Sendable {
    public init() {}
    public func get(_ s: String) -> String? { nil }
}

public struct URI: Sendable {
    public let string: String
}

public struct RequestBody: Sendable {
    public func consumeWithCancellationOnInboundClose<Value: Sendable>(
        _ operation: (RequestBody) async throws -> Value
    ) async throws -> Value { try await operation(self) }
}

public struct Request: Sendable {
    public let uri: URI
    public let head: HTTPRequest
    public var body: RequestBody
    public var headers: HTTPFields { head.headerFields }
}

public struct ResponseBody: Sendable {
    public init() {}
    public init(byteBuffer: ByteBuffer) {}
}

public protocol ResponseGenerator {
    func response(from request: Request, context: some RequestContext) throws -> Response
}

public struct Response: Sendable, ResponseGenerator {
    public init(status: HTTPResponse.Status, headers: HTTPFields = .init(), body: ResponseBody = .init()) {}
    public func response(from request: Request, context: some RequestContext) -> Response { self }
}

public protocol RequestContext: Sendable {}

public struct BasicRequestContext: RequestContext {}

public protocol MiddlewareProtocol<Input, Output, Context>: Sendable {
    associatedtype Input
    associatedtype Output
    associatedtype Context
}

public struct TracingMiddleware<Context: RequestContext>: MiddlewareProtocol {
    public typealias Input = Request
    public typealias Output = Response
    public init() {}
}

public struct RouterPath: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {}
}

public protocol HTTPResponder<Context>: Sendable {
    associatedtype Context
}

public struct RouterResponder<Context: RequestContext>: HTTPResponder {}

public protocol HTTPResponderBuilder {
    associatedtype Responder: HTTPResponder
    func buildResponder() -> Responder
}

public final class Router<Context: RequestContext>: HTTPResponderBuilder {
    public init(context: Context.Type = BasicRequestContext.self) {}
    public func buildResponder() -> RouterResponder<Context> { RouterResponder() }

    @discardableResult public func add(middleware: any MiddlewareProtocol<Request, Response, Context>) -> Self { self }

    @discardableResult public func get(
        _ path: RouterPath = "",
        use handler: @Sendable @escaping (Request, Context) async throws -> some ResponseGenerator
    ) -> Self { self }
}

public struct ApplicationConfiguration: Sendable {
    public init() {}
}

public struct Application<Responder: HTTPResponder>: Service {
    public init<ResponderBuilder: HTTPResponderBuilder>(
        router: ResponderBuilder, configuration: ApplicationConfiguration = ApplicationConfiguration(),
        services: [any Service] = [], logger: Logger? = nil
    ) where Responder == ResponderBuilder.Responder {}

    public func run() async throws {}
    public func runService(gracefulShutdownSignals: [UnixSignal] = [.sigterm, .sigint]) async throws {}
}
