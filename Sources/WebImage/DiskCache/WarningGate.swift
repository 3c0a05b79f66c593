/// Lets one warning through for each kind of trouble, until operations of that sort work again.
struct WarningGate {
    /// What was tried.
    enum Sort: Hashable {
        case reading, writing, removing
    }

    private var reported: [Sort: Set<CacheError.Code>] = [:]

    /// Whether this kind of trouble is new.
    mutating func shouldReport(_ code: CacheError.Code, during sort: Sort) -> Bool {
        reported[sort, default: []].insert(code).inserted
    }

    /// An operation of this sort worked.
    mutating func recover(_ sort: Sort) {
        if reported[sort] != nil { reported[sort] = nil }
    }
}
