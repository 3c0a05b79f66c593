/// What a cache knows of the others on its folder: how much they have stored since it listed the folder.
///
/// All of them add what they store to one number, the account. A cache knows what it has added itself; whatever else the
/// number has moved by, others have done. So a cache that is alone never lists its folder again, and one that is not
/// knows when its index is behind, without asking the folder.
///
/// State of an actor, and pure: the account itself is a file, see ``EntryFiles/addToAccount(_:)``.
struct SharedAccount {
    /// Bytes for each unit of the account.
    static let unit = 1024
    /// A longer account was not added up but made up.
    static let highestUnits = 1 << 40

    /// Bytes stored here and not added yet.
    private(set) var unreportedBytes = 0
    /// What the account holds when only this cache has changed it since it last looked.
    private(set) var expectedUnits = 0
    /// Units that others have added since the folder was listed.
    private(set) var foreignUnits = 0
    /// Whether others have changed the folder since it was listed.
    private(set) var isStale = false
    /// Whether a step that changes or reads the account is under way; another one waits.
    var isBusy = false
    /// Whether a step was asked for meanwhile.
    var isWanted = false

    /// The highest number of bytes that the index does not know of.
    var foreignBytes: Int { foreignUnits * Self.unit }

    /// Notes bytes that are about to be stored.
    mutating func add(bytes: Int) { unreportedBytes += bytes }

    /// Takes what is to be added to the account.
    ///
    /// - Parameter step: Less than this is kept for later.
    mutating func takeUnits(step: Int) -> Int {
        guard unreportedBytes >= max(Self.unit, step) else { return 0 }
        let units = unreportedBytes / Self.unit
        unreportedBytes -= units * Self.unit
        return units
    }

    /// Notes what the account held after a step.
    ///
    /// - Parameters:
    ///   - size: In units; `nil` when the step failed.
    ///   - units: What the step was to add.
    mutating func observe(_ size: Int?, afterAdding units: Int) {
        guard let size else {
            unreportedBytes += units * Self.unit
            return
        }
        let expected = expectedUnits + units
        expectedUnits = min(max(0, size), Self.highestUnits)
        if expectedUnits != expected { isStale = true }
        foreignUnits = min(foreignUnits + max(0, expectedUnits - expected), Self.highestUnits)
    }

    /// The folder is about to be listed: everything up to now will be in the index.
    mutating func beginListing() { (foreignUnits, isStale) = (0, false) }

    /// The account begins anew.
    mutating func begin() { expectedUnits = 0 }
}
