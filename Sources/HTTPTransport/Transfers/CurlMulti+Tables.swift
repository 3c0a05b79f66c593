/// What the event loop keeps, in numbers: all zero when no transfer is left.
struct TableCounts: Sendable, Hashable {
    var transfers = 0
    var deadlines = 0
    /// Transfers that run, as the admission queue counts them, and the connections that it thinks they have.
    var running = 0
    var connections = 0
    var waiting = 0
    /// Origins that are in turn for a connection.
    var waitingOrigins = 0
    var newHeads = 0
    /// Names that transfers wait for, those transfers, and names that wait for a thread.
    var names = 0
    var namedTransfers = 0
    var waitingNames = 0
}

extension CurlMulti {
    /// The counts of now; those of the resolver change on its threads.
    var tables: TableCounts {
        TableCounts(
            transfers: transfers.count, deadlines: deadlines.count, running: admission.runningCount,
            connections: admission.connections, waiting: admission.waitingCount,
            waitingOrigins: admission.waitingOriginCount, newHeads: transfersWithNewHead.count,
            names: lookUps.count, namedTransfers: lookUps.values.reduce(0) { $0 + $1.count },
            waitingNames: resolver?.counts.waiting ?? 0)
    }
}
