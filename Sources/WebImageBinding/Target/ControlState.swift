/// The state of a control that has a picture for each.
///
/// The raw values are those of `UIControl.State`.
public struct ControlState: OptionSet, Sendable, Hashable {
    /// The bits of the state.
    public let rawValue: UInt

    /// Creates a state from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Enabled, and neither selected nor highlighted.
    public static let normal: ControlState = []
    /// Pressed.
    public static let highlighted = ControlState(rawValue: 1 << 0)
    /// Not usable.
    public static let disabled = ControlState(rawValue: 1 << 1)
    /// Chosen.
    public static let selected = ControlState(rawValue: 1 << 2)
    /// Receiving the keyboard or the remote control.
    public static let focused = ControlState(rawValue: 1 << 3)
}
