// SPDX-License-Identifier: MIT
import CImageShims

/// What the numbers of a file's pixels mean, where they are not sRGB.
enum ColorDescription: Hashable, Sendable {
    /// An ICC profile.
    case profile([UInt8])
    /// Measured primaries and a curve.
    case measured(ColorPrimaries, ColorCurve)

    /// The colours of two numbers, of the primaries and the transfer characteristics.
    ///
    /// The curves of television are shown like sRGB, as browsers show them. Numbers without a meaning count as those of
    /// sRGB.
    ///
    /// - Returns: `nil` for sRGB.
    /// - Source: ITU-T H.273, sections 8.1 and 8.2.
    init?(primaries: Int, transfer: Int) {
        let curve: ColorCurve =
            switch transfer {
            case 4: .gamma(2.2)
            case 5: .gamma(2.8)
            case 8: .gamma(1)
            case 16: .perceptual
            case 18: .hybrid
            default: .sRGB
            }
        let points: ColorPrimaries =
            switch primaries {
            case 4: ColorPrimaries(white: (0.310, 0.316), (0.67, 0.33), (0.21, 0.71), (0.14, 0.08))
            case 5: ColorPrimaries((0.64, 0.33), (0.29, 0.60), (0.15, 0.06))
            case 6, 7: ColorPrimaries((0.630, 0.340), (0.310, 0.595), (0.155, 0.070))
            case 8: ColorPrimaries(white: (0.310, 0.316), (0.681, 0.319), (0.243, 0.692), (0.145, 0.049))
            case 9: ColorPrimaries((0.708, 0.292), (0.170, 0.797), (0.131, 0.046))
            case 11: ColorPrimaries(white: (0.314, 0.351), (0.680, 0.320), (0.265, 0.690), (0.150, 0.060))
            case 12: ColorPrimaries((0.680, 0.320), (0.265, 0.690), (0.150, 0.060))
            case 22: ColorPrimaries((0.630, 0.340), (0.295, 0.605), (0.155, 0.077))
            default: .sRGB
            }
        self.init(points, curve)
    }

    /// `nil` for sRGB.
    init?(_ primaries: ColorPrimaries, _ curve: ColorCurve) {
        if primaries.isNearly(.sRGB), curve == .sRGB { return nil }
        self = .measured(primaries, curve)
    }
}

/// How the numbers of a channel become light.
enum ColorCurve: Hashable, Sendable {
    case gamma(Double)
    case sRGB
    /// SMPTE ST 2084. What is brighter than white paper becomes white, here and below.
    case perceptual
    /// ARIB STD-B67.
    case hybrid
}

/// The CIE x and y of white, red, green and blue.
struct ColorPrimaries: Hashable, Sendable {
    let points: [Double]

    typealias Point = (x: Double, y: Double)

    init(white: Point = (0.3127, 0.3290), _ red: Point, _ green: Point, _ blue: Point) {
        points = [white, red, green, blue].flatMap { [$0.x, $0.y] }
    }

    static let sRGB = ColorPrimaries((0.64, 0.33), (0.30, 0.60), (0.15, 0.06))

    /// Whether no number differs by more than rounding.
    func isNearly(_ other: ColorPrimaries) -> Bool { zip(points, other.points).allSatisfy { abs($0 - $1) < 0.0011 } }
}

/// The chunks of a PNG that say what its colours are; the first of them that is there counts.
///
/// - Source: PNG (third edition), sections 4.3 and 11.3.2.
struct PNGColors {
    private var coded: (primaries: Int, transfer: Int)?
    private var isSRGB = false
    private var gamma: Int?
    private var primaries: ColorPrimaries?

    /// Reads a chunk before the pixels.
    mutating func read(_ type: String, _ payload: ArraySlice<UInt8>) {
        let at = payload.startIndex
        switch type {
        // Matrix coefficients other than 0 are not for PNG.
        case "cICP" where payload.count == 4 && coded == nil && payload[at + 2] == 0:
            coded = (Int(payload[at]), Int(payload[at + 1]))
        case "sRGB": isSRGB = true
        case "gAMA" where payload.count == 4: gamma = payload.bigEndian(at: at)
        case "cHRM" where payload.count == 32:
            let numbers = (0..<4).map { index -> ColorPrimaries.Point in
                func number(_ offset: Int) -> Double { Double(payload.bigEndian(at: at + offset)) / 100_000 }
                return (number(index * 8), number(index * 8 + 4))
            }
            // Others are no colours, and would be divided by.
            guard numbers[0].y > 0.01, numbers.allSatisfy({ $0.x + $0.y <= 1 }) else { return }
            primaries = ColorPrimaries(white: numbers[0], numbers[1], numbers[2], numbers[3])
        default: break
        }
    }

    /// What the chunks say, and the profile.
    ///
    /// - Returns: `nil` for sRGB, and where nothing is said.
    func description(_ profile: [UInt8]?) -> ColorDescription? {
        if let coded { return ColorDescription(primaries: coded.primaries, transfer: coded.transfer) }
        if let profile { return .profile(profile) }
        guard !isSRGB, gamma != nil || primaries != nil else { return nil }
        let points = primaries ?? .sRGB
        // Beyond these bounds it is no curve of pixels. A gamma of 1/2.2 beside its primaries stands for sRGB.
        guard let gamma, (10_000...1_000_000).contains(gamma), !points.isNearly(.sRGB) || abs(gamma - 45_455) > 500
        else { return ColorDescription(points, .sRGB) }
        return ColorDescription(points, .gamma(100_000 / Double(gamma)))
    }
}
