// SPDX-License-Identifier: MIT
import Foundation
import HTTPLoaders
import HTTPTransport
import ObjectStore
import TestSupport
import Testing
import WebImage
import WebImageTesting

/// Originals in a bucket.
@Suite(.timeLimit(.minutes(10))) struct ObjectLoaderTests {
    @Test func `a manager makes pictures of objects, whatever they are called`() async throws {
        let server = try BucketServer()
        let name = "ä/b c+d=e~f (1)*'!&%.png"
        let png = try ImageFactory.encoded(width: 40, height: 30, seed: 1, as: .png)
        server.contents[name] = BucketServer.Object(bytes: png)
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        let loader = HTTPLoaderChain(ObjectLoader(try server.service(), buckets: ["pictures"]), HTTPClient())
        let manager = ImageManager(configuration: configuration, transport: loader)
        do {
            let path = try required(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let url = URL(string: "s3://pictures/\(path)")!
            let picture = try await manager.image(for: ImageRequest(url))
            expectEqual([picture.width, picture.height], [40, 30])
            let missing = URL(string: "s3://pictures/none")!
            let error = await expectError(ImageLoadError.self) {
                try await manager.image(for: ImageRequest(missing))
            }
            expectEqual(error?.status, 404)
        }
        _ = await manager.shutdown(within: .seconds(60))
        expectEqual(server.faults.entries, [])
    }

    @Test func `fields go along, and the answer is that of the service`() async throws {
        let server = try BucketServer()
        server.contents["a"] = BucketServer.Object(bytes: [1, 2, 3, 4])
        let loader = ObjectLoader(try server.service(), buckets: ["pictures"])
        let url = URL(string: "S3://pictures/a")!
        let part = try await loader.send(HTTPRequest(url: url, headers: ["Range": "bytes=1-2"]))
        expectEqual(part.status, 206)
        try await expectEqual(part.body.collect(upTo: 9), [2, 3])
        let tag = try required(part.headers["ETag"])
        try await expectEqual(loader.send(HTTPRequest(url: url, headers: ["If-None-Match": tag])).status, 304)
        // The key of the service signs, whatever credential a request brings; a key is decoded once.
        server.contents["%61"] = BucketServer.Object(bytes: [5])
        var other = HTTPRequest(url: URL(string: "s3://pictures/%2561")!)
        other.options.credential = .bearer("token")
        try await expectEqual(loader.send(other).body.collect(upTo: 9), [5])
        expectEqual(server.faults.entries, [])
        await loader.shutdown()
    }

    @Test(arguments: [
        ("s3://secrets/a", HTTPError.Code.addressNotAllowed), ("s3://pictures/", .unsupportedURL),
        ("s3://pictures", .unsupportedURL), ("s3://pictures/../secrets/a", .unsupportedURL),
        ("s3://pictures/%2e%2e/secrets/a", .unsupportedURL), ("s3://pictures/..%2Fsecrets/a", .unsupportedURL),
        ("s3://pictures/a?versionId=1", .unsupportedURL), ("s3://pictures:80/a", .unsupportedURL),
        ("s3://me@pictures/a", .unsupportedURL), ("s3://pictures/a#b", .unsupportedURL), ("s3:a", .unsupportedURL),
        ("s3://pictures/%FF", .unsupportedURL), ("s3://PICTURES/a", .unsupportedURL),
    ])
    func `an address that is no object of the buckets is refused`(_ text: String, _ code: HTTPError.Code) async throws {
        let server = try BucketServer()
        let loader = ObjectLoader(try server.service(), buckets: ["pictures"])
        let url = try required(URL(string: text))
        let error = await expectError(HTTPError.self) { try await loader.send(HTTPRequest(url: url)) }
        expectEqual(error?.code, code)
        let post = URL(string: "s3://pictures/a")!
        for method in ["PUT", "DELETE", "POST"] {
            await expectError(HTTPError.self) { try await loader.send(HTTPRequest(url: post, method: method)) }
        }
        expectEqual(server.origin.requestCount, 0)
        await loader.shutdown()
    }
}
