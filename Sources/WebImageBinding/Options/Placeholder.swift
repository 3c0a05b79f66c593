/// What a slot shows while its picture is on the way.
public enum Placeholder: Sendable {
    /// Nothing: the slot is emptied when the load starts, so that a reused target never shows its last picture under
    /// a new name. The default.
    case none
    /// A picture that is shown when the load starts and stays when it fails.
    case now(DecodedImage)
    /// What the slot shows stays until the picture arrives; the placeholder is shown when the load fails, and when
    /// there is nothing to load. A cancelled load leaves the slot alone: the next one may own it already.
    case late(DecodedImage?)

    /// Whether the slot keeps what it shows when a load starts.
    var isLate: Bool {
        if case .late = self { true } else { false }
    }

    /// The picture, whenever it is shown.
    var picture: DecodedImage? {
        switch self {
        case .none: nil
        case .now(let picture): picture
        case .late(let picture): picture
        }
    }
}
