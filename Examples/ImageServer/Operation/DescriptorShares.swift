// SPDX-License-Identifier: MIT
/// How a server shares the descriptors that its process may open among clients, downloads and files.
struct DescriptorShares: Equatable {
    /// For clients.
    let connections: Int
    /// For clients of the metrics, which ask rarely.
    let probes: Int
    /// For the connections to origins of each client that fetches from them.
    let transfers: Int

    /// What a server opens besides, and for its work at least: signals, sockets, loops; a few connections and files.
    static let leastCount = 32

    /// Shares `free` descriptors: at most a quarter to downloads, a quarter to files, the rest to clients.
    ///
    /// - Parameters:
    ///   - fixed: What is still to be opened for the whole life of the server.
    ///   - clientCount: The number of clients that fetch from origins.
    init(free: Int, fixed: Int, connections: Int, transfers: Int, clientCount: Int) {
        let work = max(0, free - fixed)
        self.transfers = max(1, min(transfers, work / 4 / clientCount))
        probes = max(1, min(16, work / 16))
        // A write has three open, and two threads write.
        let files = max(6, min(64, work / 4))
        self.connections = max(1, min(connections, work - self.transfers * clientCount - files - probes))
    }
}
