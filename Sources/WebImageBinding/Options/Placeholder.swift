/// What a slot shows while its picture is loading.
public enum Placeholder: Sendable {
    /// Nothing: the slot is emptied when the load starts, so that a reused target never shows the picture of another
    /// item. The default.
    case none
    /// A picture that is shown when the load starts, and kept when it fails.
    case now(DecodedImage)
    /// The slot keeps what it shows until the picture arrives. The placeholder is shown when the load fails, and when
    /// there is nothing to load. A cancelled load does not change the slot, which the next load may already own.
    case late(DecodedImage?)

    /// Whether the slot keeps what it shows when a load starts.
    var isLate: Bool {
        if case .late = self { true } else { false }
    }

    /// The picture of either case.
    var picture: DecodedImage? {
        switch self {
        case .none: nil
        case .now(let picture): picture
        case .late(let picture): picture
        }
    }
}
