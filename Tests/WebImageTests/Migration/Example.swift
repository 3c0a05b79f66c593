// SPDX-License-Identifier: MIT
import Foundation
import WebImage
import WebImageTesting

/// A photo at an origin on this machine, for the examples of the documentation.
enum Example {
    /// A file of 400 by 300 pixels.
    static let photo = Result { try ImageFactory.encoded(width: 400, height: 300, seed: 1) }

    /// Passes a configuration without a disk, and the URL of the photo.
    static func withPhoto(
        _ body: (ImageManager.Configuration, URL, OriginServer) async throws -> Void
    ) async throws {
        let photo = try Self.photo.get()
        try await withOriginServer { origin in
            origin.respond(to: "/photo.jpg", with: .ok(photo, type: "image/jpeg"))
            try await body(reachable(ImageManager.Configuration()), origin.url("/photo.jpg"), origin)
        }
    }

    /// The configuration, for an origin on this machine and without a disk.
    static func reachable(_ configuration: ImageManager.Configuration) -> ImageManager.Configuration {
        var configuration = configuration
        configuration.transport.addressPolicy = .unrestricted
        configuration.disk = nil
        return configuration
    }
}
