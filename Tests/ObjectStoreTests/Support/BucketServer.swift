// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import Locks
import ObjectStore
import WebImageTesting

/// A service with one bucket, which answers signed requests alone.
final class BucketServer: Sendable {
    struct Object: Sendable, Equatable {
        var bytes: [UInt8]
        var end: String?
    }

    let origin: OriginServer
    let check: SignatureCheck
    private let objects = Mutex<[String: Object]>([:])
    /// What was wrong with requests.
    let faults = Journal<String>()

    init(_ check: SignatureCheck = SignatureCheck(), bucket: String = "pictures") throws {
        self.check = check
        var configuration = OriginServer.Configuration()
        configuration.maximumRecordedBodyByteCount = 4 << 20
        origin = try OriginServer.start(configuration: configuration)
        origin.respondToEverything { [weak self] in self?.answer($0, bucket) ?? .status(500) }
    }

    deinit { origin.stop() }

    /// The objects by their names, percent-decoded.
    var contents: [String: Object] {
        get { objects.withLock { $0 } }
        set { objects.withLock { $0 = newValue } }
    }

    /// The service as a program sees it.
    func service(secret: String? = nil, style: ObjectService.AddressStyle = .path, host: String = "127.0.0.1") throws
        -> ObjectService
    {
        try ObjectService(
            endpoint: origin.url("/", host: host), region: check.region, style: style, keyID: check.keyID,
            secret: secret ?? check.secret, sessionToken: check.sessionToken)
    }

    private func answer(_ request: OriginRequest, _ bucket: String) -> OriginReply {
        if let fault = check.fault(of: request) {
            faults.write(fault)
            return Self.refusal(403, fault)
        }
        var path = request.path.dropFirst()
        if request.headers["Host"]?.hasPrefix("\(bucket).") != true {
            guard path.hasPrefix("\(bucket)/") else { return Self.refusal(404, "NoSuchBucket") }
            path = path.dropFirst(bucket.utf8.count + 1)
        }
        let name = String(path).removingPercentEncoding ?? ""
        switch request.method {
        case "PUT":
            let object = Object(bytes: request.body, end: request.headers["x-amz-meta-expires"])
            objects.withLock { $0[name] = object }
            return .status(200).entityTag("\"\(SignatureCheck.hexadecimal(SignatureCheck.sha256(object.bytes)))\"")
        case "DELETE":
            objects.withLock { $0[name] = nil }
            return .status(204)
        default:
            guard let object = objects.withLock({ $0[name] }) else { return Self.refusal(404, "NoSuchKey") }
            let reply = OriginReply.ok(object.bytes, type: "binary/octet-stream")
                .entityTag("\"\(SignatureCheck.hexadecimal(SignatureCheck.sha256(object.bytes)))\"").servingRanges()
            return object.end.map { reply.header("x-amz-meta-expires", $0) } ?? reply
        }
    }

    static func refusal(_ status: Int, _ code: String) -> OriginReply {
        .text("<?xml version=\"1.0\"?><Error><Code>\(code)</Code><Message>no</Message></Error>", status: status)
    }
}
