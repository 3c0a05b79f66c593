// SPDX-License-Identifier: MIT
import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOHTTP1
import WebImage

/// What a transfer of `WebImage` is made of, beside the names of clients.
enum Transfers {
    struct Call {
        let client: HTTPClient
        let request: HTTPRequest
        let headers: HTTPHeaders
        let response: HTTPResponse?
    }

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
