// SPDX-License-Identifier: MIT
import Foundation
import WebImage

extension ImageRequest {
    /// Requests for different pictures of one host.
    static func numbered(_ count: Int) throws -> [ImageRequest] {
        try (0..<count).map { number in
            guard let url = URL(string: "https://example.com/picture/\(number).jpeg") else { throw Failure("no URL") }
            return ImageRequest(url)
        }
    }
}
