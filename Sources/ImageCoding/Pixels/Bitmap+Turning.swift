// SPDX-License-Identifier: MIT
import CImageShims

extension Bitmap {
    /// Turns stored pixels upright.
    ///
    /// - Parameters:
    ///   - pixels: RGBA rows of the stored picture.
    ///   - size: The stored size.
    ///   - orientation: How the pixels must be turned.
    /// - Returns: RGBA rows of `size.turned(orientation)`.
    static func turned(_ pixels: [UInt8], size: PixelSize, _ orientation: ImageOrientation) throws -> [UInt8] {
        if orientation == .up { return pixels }
        let turn = Turn(orientation, of: size)
        return try unsafe draw(size) { target in
            guard let start = target.baseAddress else { return }
            for row in stride(from: 0, to: size.height, by: 32) {
                try Task.checkCancellation()
                unsafe swi_move(
                    pixels, size.width, row, min(row + 32, size.height), Int64(turn.start), Int64(turn.right),
                    Int64(turn.down), start)
            }
        }
    }
}

extension DecodedImage {
    /// Turns every frame.
    ///
    /// - Parameter orientation: How the pixels must be turned.
    func turned(_ orientation: ImageOrientation) throws -> DecodedImage {
        if orientation == .up { return self }
        let size = size
        return try mapFrames(to: size.turned(orientation)) { try Bitmap.turned($0, size: size, orientation) }
    }
}

/// Where the pixels of a picture go when it is turned, in pixels of the turned bitmap.
struct Turn {
    /// Where the first pixel lands.
    let start: Int
    /// The distance of a step right in the stored picture.
    let right: Int
    /// The distance of a step down in the stored picture.
    let down: Int

    /// Creates the turn of a stored picture of a size.
    init(_ orientation: ImageOrientation, of size: PixelSize) {
        let width = size.width
        let height = size.height
        switch orientation {
        case .up: (start, right, down) = (0, 1, width)
        case .upMirrored: (start, right, down) = (width - 1, -1, width)
        case .down: (start, right, down) = (width * height - 1, -1, -width)
        case .downMirrored: (start, right, down) = (width * (height - 1), 1, -width)
        case .leftMirrored: (start, right, down) = (0, height, 1)
        case .right: (start, right, down) = (height - 1, height, -1)
        case .rightMirrored: (start, right, down) = (width * height - 1, -height, -1)
        case .left: (start, right, down) = (height * (width - 1), -height, 1)
        }
    }
}
