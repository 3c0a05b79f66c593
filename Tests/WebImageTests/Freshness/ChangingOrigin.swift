// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import Locks
import WebImageTesting

@testable import WebImage

/// An origin of one picture. The test sets its version, its fields, and how it fails.
final class ChangingOrigin: Sendable {
    struct State {
        /// The seed of the picture, and its entity tag.
        var version = 1
        var side = 16
        var fields: HTTPHeaders
        /// The fields of a 304; ``fields`` when `nil`.
        var confirming: HTTPHeaders?
        var status = 200
        /// What sending throws; `nil` for nothing.
        var failure: HTTPError.Code?
        /// Whether every conditional request gets a 304.
        var confirmsAll = false
        /// Whether pictures have a tag and a date.
        var hasValidators = true
    }

    private let state: Mutex<State>

    init(_ fields: HTTPHeaders) { state = Mutex(State(fields: fields)) }

    func set(_ change: @Sendable (inout State) -> Void) { state.withLock { change(&$0) } }

    func answer(_ request: HTTPRequest) throws -> HTTPResponse {
        let state = state.withLock { $0 }
        if let code = state.failure { throw HTTPError(code: code, message: "no answer") }
        var fields = state.fields
        guard state.status == 200 else { return HTTPResponse(status: state.status, headers: fields, url: request.url) }
        let tag = "\"\(state.version)\""
        if state.hasValidators {
            fields["ETag"] = tag
            fields["Last-Modified"] = "Sun, 06 Nov 1994 08:49:37 GMT"
        }
        if let asked = request.headers["If-None-Match"], asked == tag || state.confirmsAll {
            for field in state.confirming ?? [:] { fields[field.name] = field.value }
            return HTTPResponse(status: 304, headers: fields, url: request.url)
        }
        fields["Content-Type"] = "image/png"
        return HTTPResponse(
            status: 200, headers: fields, url: request.url,
            body: HTTPBody([try Pictures.png(state.version, side: state.side)]))
    }
}

/// A manager in front of a changing origin.
struct HTTPStage {
    let origin: ChangingOrigin
    let staged: StagedManager

    init(
        _ fields: HTTPHeaders, seed: UInt64 = 0, gate: Gate? = nil, holding held: Int? = nil, hasDisk: Bool = true,
        _ change: (inout ImageManager.Configuration) -> Void = { _ in }
    ) throws {
        let origin = ChangingOrigin(fields)
        self.origin = origin
        var configuration = ImageManager.Configuration()
        change(&configuration)
        staged = try StagedManager(
            seed: seed, gate: gate, holding: held, hasDisk: hasDisk, configuration: configuration
        ) { try origin.answer($0) }
    }

    /// The requests that the origin got.
    var asked: Int { staged.transport.requests.count }

    func pass(_ seconds: Int) { staged.time.advance(by: .seconds(seconds)) }

    static let small: any ImageTransforming = .resize(to: PixelSize(width: 4, height: 4))

    static func request(
        small: Bool = false, _ change: (inout ImageRequest) -> Void = { _ in }
    ) -> ImageRequest {
        var request = ImageRequest.numbered(1, transformers: small ? [Self.small] : [])
        request.cachePolicy = .http
        change(&request)
        return request
    }

    func load(_ request: ImageRequest = HTTPStage.request()) -> Result<ImageResponse, any Error>? {
        let caller = staged.loadInTurn(request)
        return caller.result
    }

    /// The version of the picture that a load brings; `nil` for an error.
    func version(_ request: ImageRequest = HTTPStage.request()) -> Int? {
        guard let response = try? load(request)?.get() else { return nil }
        return ImageFactory.seed(of: response.image)
    }

    func loads(_ request: ImageRequest) -> Bool { (try? load(request)?.get()) != nil }

    func code(_ request: ImageRequest = HTTPStage.request()) -> ImageLoadError.Code? {
        guard case .failure(let error) = load(request) else { return nil }
        return (error as? ImageLoadError)?.code
    }

    func file(_ format: OutputFormat, _ request: ImageRequest = HTTPStage.request()) -> EncodedImage? {
        let caller = staged.dataInTurn(request, as: format)
        return caller.value
    }
}
