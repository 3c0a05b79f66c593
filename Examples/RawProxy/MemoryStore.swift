// SPDX-License-Identifier: MIT
import HTTPCaching
import WebImage

/// Keeps responses in memory, up to a limit of bytes, and fewer while memory is short.
actor MemoryStore: RawResponseStoring {
    private let byteLimit: Int
    private var table: RawResponseTable

    init(byteLimit: Int = min(256 << 20, MemoryBudget.processLimit / 4)) {
        self.byteLimit = byteLimit
        table = RawResponseTable(byteLimit: byteLimit)
    }

    /// The bytes that are kept.
    var byteCount: Int { table.byteCount }

    /// Gives memory back while it is short, until the task is cancelled.
    func watchMemory(
        on clock: any Clock<Duration> = ContinuousClock(),
        sample: @Sendable () -> MemorySample = MemorySample.current
    ) async {
        while (try? await clock.sleep(for: .seconds(1))) != nil {
            table.byteLimit =
                switch sample().pressure {
                case .normal: byteLimit
                case .warning: byteLimit / 2
                case .critical: byteLimit / 8
                }
        }
    }

    func responses(for target: CacheTarget) -> [RawResponse] { table.responses(for: target) }

    func store(_ response: RawResponse, for target: CacheTarget) { table.store(response, for: target) }

    func change(_ old: StoredResponse, to new: StoredResponse?, for target: CacheTarget) {
        table.change(old, to: new, for: target)
    }

    func remove(_ target: CacheTarget) { table.remove(target) }
}
