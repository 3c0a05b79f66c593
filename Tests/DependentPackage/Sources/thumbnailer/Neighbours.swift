// SPDX-License-Identifier: MIT
import Foundation
import Hummingbird
import Vapor
import WebImage
import WebImageBinding

// Names that other packages of a server have, too, are theirs in a file that imports `WebImage`.

/// Handlers of frameworks: their requests, their errors, their responses.
enum Handlers {
    static let client = HTTPClient(configuration: HTTPClient.Configuration())
    static let headers: HTTPHeaders = ["Accept": "image/webp"]

    static func answer(_ request: HTTPRequest, _ manager: ImageManager) async throws -> (HTTPResponse, [UInt8]) {
        guard let url = request.path.flatMap({ URL(string: $0) }) else { throw HTTPError(.badRequest) }
        do {
            let file = try await manager.encodedImage(for: Transfers.request(url), as: .webp())
            return (HTTPResponse(status: .init(code: 200)), file.bytes)
        } catch let error as ImageLoadError {
            if let cause = error.cause as? TransportError, cause.code == .addressNotAllowed {
                throw HTTPError(.init(code: 403))
            }
            throw HTTPError(.init(code: error.suggestedHTTPStatus), message: error.publicMessage)
        }
    }

    static func status(of error: any Error) -> Int { (error as? HTTPError)?.status.code ?? 500 }
}
