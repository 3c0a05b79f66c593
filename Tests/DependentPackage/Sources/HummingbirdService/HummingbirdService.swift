// SPDX-License-Identifier: MIT
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import SignedAddresses
import Tracing
import WebImage

@main
struct HummingbirdService {
    static func main() async throws {
        let digits = Environment().get("THUMBNAIL_KEY") ?? ""
        guard let key = SigningKey(hexadecimal: digits) else {
            print("THUMBNAIL_KEY is missing: openssl rand -hex 32")
            exit(1)
        }
        let manager = ImageManager()
        let thumbnails = Thumbnails(
            manager: manager, addresses: SignedAddresses(keys: [key]))
        let router = Router()
        router.add(middleware: TracingMiddleware())
        router.get(":size/:signature/:source") { request, _ in
            try await thumbnails.response(to: request)
        }
        let logger = Logger(label: "thumbnails")
        // The server is the last one, so it is the first one to end.
        let app = Application(
            router: router,
            services: [
                PictureLog(manager: manager, logger: logger),
                PictureGauges(manager: manager),
                Pictures(manager: manager),
            ], logger: logger)
        try await app.runService()
    }
}

extension Thumbnails {
    /// The load is cancelled when the client leaves. The connection closes
    /// after the response.
    func response(to request: Request) async throws -> Response {
        try await request.body.consumeWithCancellationOnInboundClose { _ in
            let answer = await tracedAnswer(
                request.uri.string, unless: request.headers[.ifNoneMatch],
                in: .current ?? .topLevel)
            return Response(answer)
        }
    }
}

extension Response {
    init(_ answer: Answer) {
        var headers = HTTPFields()
        for (name, value) in answer.fields {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        self.init(
            status: .init(code: answer.status), headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
}
