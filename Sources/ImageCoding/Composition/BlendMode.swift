// SPDX-License-Identifier: MIT
import CImageShims

/// How a picture is mixed with what is below it.
///
/// Where only one of both is opaque, it shows unmixed.
///
/// - Source: W3C Compositing and Blending Level 1, sections 9 and 10.
public enum BlendMode: String, Hashable, Sendable, CaseIterable {
    /// It covers what is below, as far as it is opaque.
    case normal
    /// Colours are multiplied: the result is darker.
    case multiply
    /// The inverses of colours are multiplied: the result is lighter.
    case screen
    /// Dark colours below are multiplied, and light ones screened.
    case overlay
    /// Dark colours above multiply, and light ones screen.
    case hardLight
    /// The darker of both, channel by channel.
    case darken
    /// The lighter of both, channel by channel.
    case lighten
    /// The distance of both, channel by channel.
    case difference
    /// The sum of both, also of their alpha.
    case plus
}

extension BlendMode {
    /// The number of the mode in the shims.
    var number: Int32 {
        let number =
            switch self {
            case .normal: SWI_NORMAL
            case .multiply: SWI_MULTIPLY
            case .screen: SWI_SCREEN
            case .overlay: SWI_OVERLAY
            case .hardLight: SWI_HARD_LIGHT
            case .darken: SWI_DARKEN
            case .lighten: SWI_LIGHTEN
            case .difference: SWI_DIFFERENCE
            case .plus: SWI_PLUS
            }
        return Int32(number)
    }
}
