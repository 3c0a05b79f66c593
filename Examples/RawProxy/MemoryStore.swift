// SPDX-License-Identifier: MIT
import HTTPCaching

/// Keeps responses in memory, up to a limit of bytes.
actor MemoryStore: RawResponseStoring {
    private var table: RawResponseTable

    init(byteLimit: Int = 256 << 20) { table = RawResponseTable(byteLimit: byteLimit) }

    func responses(for target: CacheTarget) -> [RawResponse] { table.responses(for: target) }

    func store(_ response: RawResponse, for target: CacheTarget) { table.store(response, for: target) }

    func change(_ old: StoredResponse, to new: StoredResponse?, for target: CacheTarget) {
        table.change(old, to: new, for: target)
    }

    func remove(_ target: CacheTarget) { table.remove(target) }
}
