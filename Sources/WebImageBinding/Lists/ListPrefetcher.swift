// SPDX-License-Identifier: MIT
import TaskCoordination

/// Loads the pictures of list items that are about to appear, so that they are in memory when they do.
///
/// A list reports the items that are about to appear and those that are not any more, as
/// `UICollectionViewDataSourcePrefetching` does. The pictures are only cached. A target that loads one of them shares
/// the load.
@MainActor
public final class ListPrefetcher<Index: Hashable> {
    private let loader: any ViewImageLoading
    private let concurrentLoads: Int
    private let maximumQueueLength: Int
    private let requests: @MainActor (Index) -> [ImageRequest]
    /// The items still to be loaded, oldest first.
    private var queue: [Index] = []
    private var running: [Index: PacedTask] = [:]

    /// Whether no further load begins. Those that run go on. `false` by default.
    ///
    /// A list that scrolls fast pauses its prefetcher; see ``ScrollGate``.
    public var isPaused = false {
        didSet { startNext() }
    }

    /// Creates a prefetcher.
    ///
    /// - Parameters:
    ///   - loader: Loads the pictures.
    ///   - concurrentLoads: The number of items loaded at a time. 3 by default.
    ///   - maximumQueueLength: The largest number of items that wait; the oldest is dropped for the newest. 200 by
    ///     default.
    ///   - requests: The pictures of an item. Their priority is lowered to `ImagePriority.low` at most.
    public init(
        loader: any ViewImageLoading, concurrentLoads: Int = 3, maximumQueueLength: Int = 200,
        requests: @escaping @MainActor (Index) -> [ImageRequest]
    ) {
        self.loader = loader
        self.concurrentLoads = max(1, concurrentLoads)
        self.maximumQueueLength = max(1, maximumQueueLength)
        self.requests = requests
    }

    /// The items whose pictures are being loaded, or wait to be.
    public var pending: Set<Index> { Set(queue).union(running.keys) }

    /// The number of items that wait or are being loaded. For tests.
    var entryCount: Int { queue.count + running.count }

    /// Notes that items are about to appear.
    public func willAppear(_ indices: some Sequence<Index>) {
        let known = pending
        var new: Set<Index> = []
        queue += indices.filter { !known.contains($0) && new.insert($0).inserted }
        if queue.count > maximumQueueLength { queue.removeFirst(queue.count - maximumQueueLength) }
        startNext()
    }

    /// Notes that items will not appear after all: their loads are cancelled.
    public func willNotAppear(_ indices: some Sequence<Index>) {
        let gone = Set(indices)
        queue.removeAll { gone.contains($0) }
        for index in gone { running.removeValue(forKey: index)?.cancel() }
        startNext()
    }

    /// Cancels everything.
    public func cancelAll() { willNotAppear(pending) }

    private func startNext() {
        while !isPaused, running.count < concurrentLoads, !queue.isEmpty {
            let index = queue.removeFirst()
            let missing = requests(index).filter { !($0.mayShowMemory && loader.peek($0) != nil) }
            if !missing.isEmpty { start(index, missing) }
        }
    }

    private func start(_ index: Index, _ missing: [ImageRequest]) {
        // Items appear and disappear while it runs; `running` owns it.
        running[index] = PacedTask("prefetch") { @MainActor [weak self, loader] in
            for var request in missing {
                if Task.isCancelled { return nil }
                request.priority = min(request.priority, .low)
                // The load that shows the picture reports the error.
                do { for try await _ in loader.events(for: request) {} } catch {}
            }
            // The code that cancels the task has removed it already, and may have started another one for the same
            // item.
            if !Task.isCancelled { self?.finished(index) }
            return nil
        }
    }

    private func finished(_ index: Index) {
        running[index] = nil
        startNext()
    }
}
