// SPDX-License-Identifier: MIT
import CImageShims

/// Changes colours by a matrix: grey, brightness, contrast, saturation.
///
/// Works on sRGB values and keeps alpha.
///
/// - Source: W3C Filter Effects Module Level 1, section 9.
public struct ColorTransformer: ImageTransforming, Hashable {
    /// Names the change and its amount.
    public let key: String
    private let matrix: ColorMatrix

    private init(_ name: String, _ amount: Double, _ matrix: (Float) -> ColorMatrix) {
        // A negative amount and NaN count as zero, so keys do not differ without need.
        let amount = amount > 0 ? amount : 0
        key = "\(name)(\(amount))"
        self.matrix = matrix(Float(amount))
    }

    /// Mixes with grey.
    ///
    /// - Parameter amount: 0 (as it is) to 1 (grey); clamped.
    public static func grayscale(amount: Double) -> ColorTransformer {
        ColorTransformer("grayscale", amount < 1 ? amount : 1) { .saturation(1 - $0) }
    }

    /// Multiplies colours.
    ///
    /// - Parameter amount: 0 is black, 1 is as it is.
    public static func brightness(amount: Double) -> ColorTransformer {
        ColorTransformer("brightness", amount) { ColorMatrix(scale: $0, offset: 0) }
    }

    /// Moves colours away from the middle grey, or towards it.
    ///
    /// - Parameter amount: 0 is grey, 1 is as it is.
    public static func contrast(amount: Double) -> ColorTransformer {
        ColorTransformer("contrast", amount) { ColorMatrix(scale: $0, offset: 0.5 - 0.5 * $0) }
    }

    /// Moves colours away from their grey, or towards it.
    ///
    /// - Parameter amount: 0 is grey, 1 is as it is.
    public static func saturation(amount: Double) -> ColorTransformer {
        ColorTransformer("saturation", amount) { .saturation($0) }
    }

    /// Changes every frame.
    ///
    /// - Throws: `CancellationError`.
    public func transform(_ image: DecodedImage) throws -> DecodedImage {
        try image.mapFrames(to: image.size, matrix.applied)
    }
}

/// A linear change of red, green and blue.
struct ColorMatrix: Hashable, Sendable {
    /// What each channel of the source adds to red, green and blue.
    private let columns: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>)
    /// What is added besides, where 1 is white.
    private let offset: Float

    init(scale: Float, offset: Float) {
        columns = (SIMD3(scale, 0, 0), SIMD3(0, scale, 0), SIMD3(0, 0, scale))
        self.offset = offset
    }

    private init(_ columns: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>)) {
        self.columns = columns
        offset = 0
    }

    /// Moves colours from their grey by a factor.
    static func saturation(_ amount: Float) -> ColorMatrix {
        func column(_ weight: Float, _ own: Int) -> SIMD3<Float> {
            var column = SIMD3<Float>(repeating: weight * (1 - amount))
            column[own] += amount
            return column
        }
        return ColorMatrix((column(0.213, 0), column(0.715, 1), column(0.072, 2)))
    }

    static func == (one: ColorMatrix, other: ColorMatrix) -> Bool {
        one.columns == other.columns && one.offset == other.offset
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(columns.0)
        hasher.combine(columns.1)
        hasher.combine(columns.2)
        hasher.combine(offset)
    }

    /// Changes premultiplied pixels: the offset is multiplied by alpha, and no colour rises above it.
    @Sendable func applied(to pixels: [UInt8]) throws -> [UInt8] {
        let matrix = [columns.0, columns.1, columns.2].flatMap { [$0.x, $0.y, $0.z] } + [offset]
        return try unsafe Bitmap.changed(pixels) { unsafe swi_color($0, $1, matrix) }
    }
}

extension ImageTransforming where Self == ColorTransformer {
    /// Makes a picture grey.
    public static var grayscale: ColorTransformer { .grayscale(amount: 1) }

    /// Multiplies colours: 0 is black, 1 is as it is.
    ///
    /// - Parameter amount: The factor.
    public static func brightness(_ amount: Double) -> ColorTransformer { .brightness(amount: amount) }

    /// Changes the distance of colours from the middle grey: 0 is grey, 1 is as it is.
    ///
    /// - Parameter amount: The factor.
    public static func contrast(_ amount: Double) -> ColorTransformer { .contrast(amount: amount) }

    /// Changes the distance of colours from their grey: 0 is grey, 1 is as it is.
    ///
    /// - Parameter amount: The factor.
    public static func saturation(_ amount: Double) -> ColorTransformer { .saturation(amount: amount) }
}
