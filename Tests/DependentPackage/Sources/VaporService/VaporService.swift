// SPDX-License-Identifier: MIT
import ServiceLifecycle
import SignedAddresses
import Vapor
import WebImage

@main
struct VaporService {
    static func main() async throws {
        let digits = Environment.get("THUMBNAIL_KEY") ?? ""
        guard let key = SigningKey(hexadecimal: digits) else {
            print("THUMBNAIL_KEY is missing: openssl rand -hex 32")
            exit(1)
        }
        let app = try await Application.make(.detect())
        var limits = ImageManager.Configuration()
        // The longest time that a load goes on without its client.
        limits.transport.totalTimeout = .seconds(20)
        let manager = ImageManager(configuration: limits)
        let thumbnails = Thumbnails(
            manager: manager, addresses: SignedAddresses(keys: [key]))
        app.middleware.use(TracingMiddleware(), at: .beginning)
        app.get(":size", ":signature", ":source") { request in
            let known = request.headers[.ifNoneMatch].first
            let answer = await thumbnails.tracedAnswer(
                request.url.string, unless: known,
                in: request.serviceContext)
            return Response(answer)
        }
        // Vapor takes the signals itself, and its end ends the others.
        let log = PictureLog(manager: manager, logger: app.logger)
        let configuration = ServiceGroupConfiguration(
            services: [
                .init(service: log),
                .init(service: PictureGauges(manager: manager)),
                .init(service: Pictures(manager: manager)),
                .init(
                    service: Website(app: app),
                    successTerminationBehavior: .gracefullyShutdownGroup),
            ], logger: app.logger)
        try await ServiceGroup(configuration: configuration).run()
    }
}

struct Website: Service {
    let app: Application

    func run() async throws {
        do {
            try await app.execute()
        } catch {
            try? await app.asyncShutdown()
            throw error
        }
        try await app.asyncShutdown()
    }
}

extension Response {
    convenience init(_ answer: Answer) {
        self.init(
            status: .init(statusCode: answer.status),
            headers: HTTPHeaders(answer.fields.map { ($0.key, $0.value) }),
            body: .init(buffer: ByteBuffer(bytes: answer.body)))
    }
}
