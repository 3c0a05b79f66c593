// SPDX-License-Identifier: MIT
import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import NIOHTTP1
import Vapor
import WebImage
import WebImageBinding

/// Names that other packages of a server have, too, are theirs in a file that imports `WebImage`.
enum Neighbours {
    static let client = HTTPClient(configuration: HTTPClient.Configuration())
    static let headers: HTTPHeaders = ["Accept": "image/webp"]

    /// A handler of a framework: its request, its errors, its response.
    static func answer(_ request: HTTPRequest, _ manager: ImageManager) async throws -> (HTTPResponse, [UInt8]) {
        guard let url = request.path.flatMap({ URL(string: $0) }) else { throw HTTPError(.badRequest) }
        do {
            let file = try await manager.encodedImage(for: Self.request(url), as: .webp())
            return (HTTPResponse(status: .init(code: 200)), file.bytes)
        } catch let error as ImageLoadError {
            if let cause = error.cause as? TransportError, cause.code == .addressNotAllowed {
                throw HTTPError(.init(code: 403))
            }
            throw HTTPError(.init(code: error.suggestedHTTPStatus), message: error.publicMessage)
        }
    }

    /// The types of this package that such a name had are named by its own.
    static func configuration(_ transport: TransportConfiguration) -> ImageManager.Configuration {
        var configuration = ImageManager.Configuration()
        configuration.transport = transport
        configuration.transport.addressPolicy = .publicInternet(allowing: IPNetwork.loopback)
        configuration.hooks.responseModifier = ResponseModifier(identity: "typed") { (response: TransportResponse) in
            var headers: TransportHeaders = response.headers
            headers["Content-Type"] = "image/jpeg"
            return TransportResponse(
                status: response.status, headers: headers, url: response.url, body: response.body)
        }
        return configuration
    }

    static func request(_ url: URL) -> ImageRequest {
        var request = ImageRequest(url)
        request.modifier = RequestModifier(identity: "signed") { (plain: TransportRequest) in
            var signed = plain
            signed.headers["X-Signature"] = "1"
            return signed
        }
        return request
    }
}
