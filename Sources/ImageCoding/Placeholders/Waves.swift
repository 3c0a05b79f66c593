// SPDX-License-Identifier: MIT
import CImageShims

/// Three channels and alpha.
typealias Channels = SIMD4<Double>

/// The values of cosine waves over the pixels of a side.
struct Waves {
    private let values: [Double]
    private let length: Int

    /// - Parameters:
    ///   - count: The number of waves; the first one is constant.
    ///   - length: The pixels of the side.
    ///   - offset: Where in a pixel the wave is taken: 0 at its start, 0.5 in its middle.
    init(_ count: Int, over length: Int, offset: Double) {
        self.length = length
        values = (0..<count).flatMap { wave in
            (0..<length).map { cos(Double.pi * Double(wave) * (Double($0) + offset) / Double(length)) }
        }
    }

    subscript(_ wave: Int, _ position: Int) -> Double { values[wave * length + position] }
}

extension DecodedImage {
    /// The first frame, fitted into a square unless it is within it already.
    func shrunk(to side: Int) throws -> DecodedImage {
        guard width > side || height > side else { return self }
        return try ResizeTransformer(size: PixelSize(width: side, height: side)).transform(firstFrame)
    }
}
