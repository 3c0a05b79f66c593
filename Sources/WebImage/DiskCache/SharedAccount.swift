// SPDX-License-Identifier: MIT
/// What a cache knows of the other caches on its folder: how much they have stored since it listed the folder.
///
/// All caches add what they store to one number, the account. A cache knows what it has added itself; the other caches
/// have added the rest. So a cache that is alone never lists its folder again, and a cache that is not alone knows
/// without a listing when its index is behind.
///
/// State of an actor, and pure: the account itself is a file, see ``EntryFiles/addToAccount(_:)``.
struct SharedAccount {
    /// Bytes for each unit of the account.
    static let unit = 1024
    /// A longer account was not made by these caches.
    static let highestUnits = 1 << 40

    /// Bytes stored here and not added yet.
    private(set) var unreportedBytes = 0
    /// What the account holds when only this cache has changed it since it last looked.
    private(set) var expectedUnits = 0
    /// Units that other caches have added since the folder was listed.
    private(set) var foreignUnits = 0
    /// Whether other caches have changed the folder since it was listed.
    private(set) var isStale = false
    /// Whether a step that changes or reads the account runs. Another step waits.
    var isBusy = false
    /// Whether another step was requested meanwhile.
    var isWanted = false

    /// The highest number of bytes that may be missing from the index.
    var foreignBytes: Int { foreignUnits * Self.unit }

    /// Notes bytes that are about to be stored.
    mutating func add(bytes: Int) { unreportedBytes += bytes }

    /// Takes the units to add to the account.
    ///
    /// - Parameter step: Smaller sums are kept for later.
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

    /// Notes that a listing begins: the index will have everything up to now.
    mutating func beginListing() { (foreignUnits, isStale) = (0, false) }

    /// Notes that a new account begins.
    mutating func begin() { expectedUnits = 0 }
}
