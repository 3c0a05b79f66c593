// SPDX-License-Identifier: MIT
import CSceneShims

/// A colour; each part from 0 to 1, as sRGB encodes it.
typealias Tone = swi_tone

extension Tone {
    /// A colour as three bytes, as in `0xFF8800`.
    init(_ hex: Int) {
        self.init(
            red: Float(hex >> 16 & 255) / 255, green: Float(hex >> 8 & 255) / 255, blue: Float(hex & 255) / 255)
    }

    /// This colour at 0, the other at 1.
    func mixed(_ other: Tone, _ part: Float) -> Tone {
        Tone(
            red: red + (other.red - red) * part, green: green + (other.green - green) * part,
            blue: blue + (other.blue - blue) * part)
    }

    /// Darker below 1, lighter above.
    func scaled(_ factor: Float) -> Tone { Tone(red: red * factor, green: green * factor, blue: blue * factor) }

    static let white = Tone(0xFFFFFF)
    static let black = Tone(0x000000)
}

extension [Tone] {
    /// The colour at a part, from 0 to 1, of the way through all colours.
    func at(_ part: Float) -> Tone {
        let place = Curve.clamp(part) * Float(count - 1)
        let index = Swift.min(Int(place), count - 2)
        return self[index].mixed(self[index + 1], place - Float(index))
    }
}
