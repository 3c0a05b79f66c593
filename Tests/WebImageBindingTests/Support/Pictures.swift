// SPDX-License-Identifier: MIT
import Foundation
import WebImageBinding
import WebImageTesting

/// A picture with its index in its pixels.
func picture(_ index: Int, frames: Int = 1, loopCount: Int = 0, of duration: Duration = .milliseconds(100))
    -> DecodedImage
{
    let all = (0..<frames).map { frame in
        let bytes = [index & 255, index >> 8 & 255, frame & 255, 255].map { UInt8($0) }
        return DecodedImage.Frame(pixels: bytes, duration: frames > 1 ? duration : .zero)
    }
    guard let picture = try? DecodedImage(width: 1, height: 1, frames: all, loopCount: loopCount, hasAlpha: false)
    else { preconditionFailure("the frames above fit the size") }
    return picture
}

extension DecodedImage {
    /// The index of the picture, by its pixels.
    var index: Int { Int(pixels[0]) | Int(pixels[1]) << 8 }
    /// The index of the frame, by the pixels of the first frame.
    var frameIndex: Int { Int(pixels[2]) }
}

func url(_ index: Int) -> URL {
    guard let url = URL(string: "https://example.org/\(index).png") else { preconditionFailure("a valid URL") }
    return url
}

func request(_ index: Int, _ policy: CachePolicy = .cacheFirst, priority: ImagePriority = .normal) -> ImageRequest {
    var request = ImageRequest(url(index), priority: priority)
    request.cachePolicy = policy
    return request
}

let placeholder = picture(60_000)
let failurePicture = picture(60_001)
