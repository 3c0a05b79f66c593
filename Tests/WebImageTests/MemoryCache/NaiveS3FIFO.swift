// SPDX-License-Identifier: MIT
/// A model of `S3FIFO` with arrays and linear searches.
struct NaiveS3FIFO: Hashable {
    struct Entry: Hashable {
        var key: Int
        var value: Int
        var cost: Int
        var hits = 0
    }

    let maximumCost: Int
    let maximumCount: Int
    /// Newest first.
    var small: [Entry] = []
    var main: [Entry] = []
    /// Newest first.
    ///
    /// A place is kept when its key is stored again; it is then empty.
    var ghosts: [Int?] = []

    var cost: Int { (small + main).reduce(0) { $0 + $1.cost } }
    var count: Int { small.count + main.count }
    var keys: Set<Int> { Set((small + main).map(\.key)) }

    mutating func value(for key: Int) -> Int? {
        if let place = small.firstIndex(where: { $0.key == key }) {
            small[place].hits = min(3, small[place].hits + 1)
            return small[place].value
        }
        guard let place = main.firstIndex(where: { $0.key == key }) else { return nil }
        main[place].hits = min(3, main[place].hits + 1)
        return main[place].value
    }

    mutating func remove(_ key: Int) -> Int? {
        let found = (small + main).first { $0.key == key }
        small.removeAll { $0.key == key }
        main.removeAll { $0.key == key }
        return found?.value
    }

    mutating func store(_ value: Int, for key: Int, cost: Int) -> (isStored: Bool, retired: [Int]) {
        let replaced = (small + main).first { $0.key == key }
        let wasMain = main.contains { $0.key == key }
        var retired: [Int] = []
        if let old = remove(key) { retired.append(old) }
        guard cost >= 0, cost <= maximumCost else { return (false, retired) }
        let isKnown = ghosts.contains(key) || wasMain
        forget(key)
        let share = max(1, maximumCost / 8)
        var mainCost: Int { main.reduce(0) { $0 + $1.cost } }
        if cost > share, mainCost + cost > maximumCost {
            if isKnown, cost > maximumCost / 2 {
                let end = max(maximumCost - cost, mainCost - share)
                for var entry in main.reversed() where mainCost > end {
                    main.removeLast()
                    if entry.hits == 0 {
                        remember(entry.key)
                        retired.append(entry.value)
                    } else {
                        entry.hits -= 1
                        main.insert(entry, at: 0)
                    }
                }
            }
            if !isKnown || (cost > maximumCost / 2 && mainCost + cost > maximumCost) {
                remember(key)
                return (false, retired)
            }
        }
        while self.cost + cost > maximumCost || count >= maximumCount { retired += evict() }
        let entry = Entry(key: key, value: value, cost: cost, hits: replaced?.hits ?? 0)
        if isKnown { main.insert(entry, at: 0) } else { small.insert(entry, at: 0) }
        return (true, retired)
    }

    private mutating func forget(_ key: Int) { ghosts = ghosts.map { $0 == key ? nil : $0 } }

    private mutating func remember(_ key: Int) {
        forget(key)
        ghosts.insert(key, at: 0)
        ghosts = Array(ghosts.prefix(max(2 * count, 16)))
    }

    private var isSmallOverShare: Bool {
        !small.isEmpty && (small.reduce(0) { $0 + $1.cost } > maximumCost / 20 || small.count > maximumCount / 20)
    }

    /// One step; the result is empty when it only promotes.
    mutating func evict() -> [Int] {
        if main.isEmpty || isSmallOverShare {
            while var entry = small.popLast() {
                if entry.hits == 0 {
                    remember(entry.key)
                    return [entry.value]
                }
                entry.hits = 0
                main.insert(entry, at: 0)
                if !isSmallOverShare { return [] }
            }
        } else {
            while var entry = main.popLast() {
                if entry.hits == 0 {
                    remember(entry.key)
                    return [entry.value]
                }
                entry.hits -= 1
                main.insert(entry, at: 0)
            }
        }
        return []
    }
}
