/// Lets one warning pass for each kind of failure, until operations of that sort succeed again.
struct WarningGate {
    /// The sort of operation.
    enum Sort: Hashable {
        case reading, writing, removing
    }

    private var reported: [Sort: Set<CacheError.Code>] = [:]

    /// Whether this kind of failure is new.
    mutating func shouldReport(_ code: CacheError.Code, during sort: Sort) -> Bool {
        reported[sort, default: []].insert(code).inserted
    }

    /// Notes that an operation of this sort succeeded.
    mutating func recover(_ sort: Sort) {
        if reported[sort] != nil { reported[sort] = nil }
    }
}
