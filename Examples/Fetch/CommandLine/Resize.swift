// SPDX-License-Identifier: MIT
import WebImage

/// The box of `--resize`.
struct Resize: Equatable {
    let transformer: ResizeTransformer

    /// The largest side of a picture.
    private static let limit = 65_500

    /// - Throws: ``UsageError`` for a text of another form.
    init(_ text: String) throws(UsageError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let sides = parts[0].split(separator: "x", omittingEmptySubsequences: false)
        guard let mode = parts.count == 1 ? .fit : ResizeTransformer.Mode(rawValue: String(parts[1])),
            sides.count == 2, sides != ["", ""], let width = Self.side(sides[0]), let height = Self.side(sides[1])
        else {
            throw UsageError(
                message:
                    "--resize takes WxH, Wx or xH, then :fit, :cover, :fill or :stretch, not \(text.printable)")
        }
        guard mode == .fit || !sides.contains("") else {
            throw UsageError(message: "--resize needs both sides for :\(mode.rawValue), not \(text.printable)")
        }
        transformer = .resize(to: PixelSize(width: width, height: height), mode: mode)
    }

    /// A side that is left out is as long as it may be.
    private static func side(_ text: Substring) -> Int? {
        if text.isEmpty { return limit }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let side = Int(text), (1...limit).contains(side)
        else { return nil }
        return side
    }

    /// The resize of ``transformer``, in linear light by choice.
    func transformer(inLinearLight: Bool) -> ResizeTransformer {
        .resize(to: transformer.size, mode: transformer.mode, inLinearLight: inLinearLight)
    }
}
