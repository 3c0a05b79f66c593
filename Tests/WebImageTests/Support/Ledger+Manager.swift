// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import WebImageTesting

@testable import WebImage

extension Ledger {
    /// Enters every table of a manager.
    ///
    /// - Parameter executors: Where everything runs that the manager starts.
    func enter(_ manager: ImageManager, on executors: [SeededExecutor]) {
        settle {
            while executors.contains(where: { $0.pending > 0 }) { for executor in executors { executor.drain() } }
        }
        func enter(_ name: String, _ count: @escaping @Sendable (ImageManager) -> Int) {
            self.enter(name) { count(manager) }
        }
        enter("pictures") { $0.pipeline.pictures.entryCount }
        enter("files") { $0.pipeline.files.entryCount }
        enter("shared work") { $0.pipeline.jobs.entryCount }
        enter("downloader") { $0.downloader.entryCount }
        enter("processing") { $0.pipeline.processing.entryCount }
        enter("bytes of originals") { $0.pipeline.processing.queue.originalByteCount }
        enter("addresses under way") { $0.pipeline.order.count }
        enter("watchers") { $0.pipeline.hub.watcherCount }
        enter("calls without an end") { $0.counters.running }
        enter("failures beyond the limit") { manager in
            max(0, manager.pipeline.failures.count - manager.configuration.failureCapacity)
        }
    }
}
