/// Loads the pictures of list items that are about to appear, so that they are in memory when they do.
///
/// A list tells it which indices come near and which do not any more, as `UICollectionViewDataSourcePrefetching` does.
/// The pictures go to the caches; nobody sees them. A target that asks for one of them shares its load.
@MainActor
public final class ListPrefetcher<Index: Hashable> {
    private let loader: any ViewImageLoading
    private let concurrentLoads: Int
    private let queueLimit: Int
    private let requests: @MainActor (Index) -> [ImageRequest]
    /// What is still to be loaded, oldest first.
    private var queue: [Index] = []
    private var running: [Index: Task<Void, Never>] = [:]

    /// Creates a prefetcher.
    ///
    /// - Parameters:
    ///   - loader: What loads the pictures.
    ///   - concurrentLoads: How many items are loaded at a time. 3 by default.
    ///   - queueLimit: How many items wait at most; the oldest is dropped for the newest. 200 by default.
    ///   - requests: The pictures of an item. Their priority is lowered to ``ImagePriority/low`` at most.
    public init(
        loader: any ViewImageLoading, concurrentLoads: Int = 3, queueLimit: Int = 200,
        requests: @escaping @MainActor (Index) -> [ImageRequest]
    ) {
        self.loader = loader
        self.concurrentLoads = max(1, concurrentLoads)
        self.queueLimit = max(1, queueLimit)
        self.requests = requests
    }

    /// The items whose pictures are being loaded, or wait to be.
    public var pending: Set<Index> { Set(queue).union(running.keys) }

    /// How many items wait, and how many are being loaded. Told to tests.
    var entryCount: Int { queue.count + running.count }

    /// Takes note that items are about to appear.
    public func willAppear(_ indices: some Sequence<Index>) {
        let known = pending
        var new: Set<Index> = []
        queue += indices.filter { !known.contains($0) && new.insert($0).inserted }
        if queue.count > queueLimit { queue.removeFirst(queue.count - queueLimit) }
        startNext()
    }

    /// Takes note that items will not appear after all: their loads are cancelled.
    public func willNotAppear(_ indices: some Sequence<Index>) {
        let gone = Set(indices)
        queue.removeAll { gone.contains($0) }
        for index in gone { running.removeValue(forKey: index)?.cancel() }
        startNext()
    }

    /// Cancels everything.
    public func cancelAll() { willNotAppear(pending) }

    private func startNext() {
        while running.count < concurrentLoads, !queue.isEmpty {
            let index = queue.removeFirst()
            let missing = requests(index).filter { !($0.mayShowMemory && loader.peek($0) != nil) }
            if !missing.isEmpty { start(index, missing) }
        }
    }

    private func start(_ index: Index, _ missing: [ImageRequest]) {
        // Unstructured because lists come and go while it runs; `running` owns it.
        running[index] = Task(name: "prefetch") { [weak self, loader] in
            for var request in missing {
                if Task.isCancelled { return }
                request.priority = min(request.priority, .low)
                // A picture that cannot be had is the business of the load that shows it.
                do { for try await _ in loader.events(for: request) {} } catch {}
            }
            // Whoever cancels it has forgotten it already, and may have started another for the same item.
            if !Task.isCancelled { self?.finished(index) }
        }
    }

    private func finished(_ index: Index) {
        running[index] = nil
        startNext()
    }

    isolated deinit { for task in running.values { task.cancel() } }
}
