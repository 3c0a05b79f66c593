// SPDX-License-Identifier: MIT
/// One of the pictures that a target shows.
///
/// Each slot has its own load.
///
/// ```swift
/// binding.load(avatar)                                        // .image
/// binding.load(pressed, into: .image(for: .highlighted))
/// binding.load(badge, into: ImageSlot("badge"))
/// ```
public struct ImageSlot: Sendable {
    /// The role of a picture in its target.
    public enum Role: Sendable, Hashable {
        /// The picture.
        case image
        /// The picture behind a title.
        case backgroundImage
        /// The picture of an image view that is highlighted.
        case highlightedImage
        /// The picture of a button that is switched on.
        case alternateImage
        /// A custom slot of the target; see ``ImageSlot/key(as:)``.
        case custom
    }

    /// The role of the picture in its target.
    public let role: Role
    /// The control state that the picture is for; ``ControlState/normal`` in targets that have none.
    public let state: ControlState
    private let key: (any Hashable & Sendable)?

    private init(_ role: Role, _ state: ControlState = .normal, key: (any Hashable & Sendable)? = nil) {
        self.role = role
        self.state = state
        self.key = key
    }

    /// Creates a custom slot of the target.
    public init(_ key: some Hashable & Sendable) { self.init(.custom, key: key) }

    /// The picture of the target; of a control, in its normal state.
    public static let image = ImageSlot(.image)
    /// The picture behind the title; of a control, in its normal state.
    public static let backgroundImage = ImageSlot(.backgroundImage)
    /// The picture while the target is highlighted.
    public static let highlightedImage = ImageSlot(.highlightedImage)
    /// The picture while a button is on.
    public static let alternateImage = ImageSlot(.alternateImage)

    /// The picture of a control in a state.
    public static func image(for state: ControlState) -> ImageSlot { ImageSlot(.image, state) }
    /// The picture behind the title of a control in a state.
    public static func backgroundImage(for state: ControlState) -> ImageSlot { ImageSlot(.backgroundImage, state) }

    /// The key of a custom slot, if it has this type.
    public func key<Key: Hashable & Sendable>(as type: Key.Type) -> Key? { key as? Key }
}

// MARK: - Hashable

extension ImageSlot: Hashable {
    /// Whether both name the same picture of a target.
    public static func == (first: ImageSlot, second: ImageSlot) -> Bool {
        first.role == second.role && first.state == second.state && first.hashableKey == second.hashableKey
    }

    /// Hashes the role, the state and the key.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(role)
        hasher.combine(state)
        hasher.combine(hashableKey)
    }

    private var hashableKey: AnyHashable? { key.map { AnyHashable($0) } }
}

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
