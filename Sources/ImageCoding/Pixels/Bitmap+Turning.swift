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
        let width = size.width
        let height = size.height
        // Where the stored pixel (0, 0) lands, and how far a step right and a step down in the source lead in the result.
        let start: Int
        let right: Int
        let down: Int
        switch orientation {
        case .up, .upMirrored: (start, right, down) = (width - 1, -1, width)
        case .down: (start, right, down) = (width * height - 1, -1, -width)
        case .downMirrored: (start, right, down) = (width * (height - 1), 1, -width)
        case .leftMirrored: (start, right, down) = (0, height, 1)
        case .right: (start, right, down) = (height - 1, height, -1)
        case .rightMirrored: (start, right, down) = (width * height - 1, -height, -1)
        case .left: (start, right, down) = (height * (width - 1), -height, 1)
        }
        return try unsafe draw(size) { target in
            try unsafe pixels.withUnsafeBytes { source in
                let target = UnsafeMutableRawBufferPointer(target)
                // Tiles keep both sides of a transposition in the cache.
                let tile = 32
                for top in stride(from: 0, to: height, by: tile) {
                    try Task.checkCancellation()
                    for left in stride(from: 0, to: width, by: tile) {
                        for y in top..<min(top + tile, height) {
                            var to = start + y * down + left * right
                            for x in left..<min(left + tile, width) {
                                let pixel = unsafe source.load(fromByteOffset: (y * width + x) * 4, as: UInt32.self)
                                unsafe target.storeBytes(of: pixel, toByteOffset: to * 4, as: UInt32.self)
                                to += right
                            }
                        }
                    }
                }
            }
        }
    }
}
