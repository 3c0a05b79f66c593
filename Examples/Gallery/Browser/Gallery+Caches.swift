import WebImageBinding

extension Gallery {
    /// Empties caches.
    ///
    /// What is on the screen stays there.
    func clear(_ tiers: CacheTiers) {
        memoryHits = 0
        // Unstructured because a key does not wait; `clearing` is what a script waits for.
        let before = clearing
        clearing = Task(name: "clear") { [manager] in
            await before?.value
            // A folder that can not be emptied is emptied by the next run, or by its owner.
            try? await manager.clear(tiers)
            manager.forgetFailures()
        }
    }

    func togglePrefetching() {
        prefetches.toggle()
        prefetch()
    }

    /// Tells the prefetcher which items are about to be seen, and which are not any more.
    func prefetch() {
        let near = prefetches && items.count > cells.count ? grid.near(top: top) : []
        prefetcher.willNotAppear(prefetcher.pending.subtracting(near))
        prefetcher.willAppear(near)
    }

    func prefetched(_ item: Int) -> [ImageRequest] {
        items.indices.contains(item) ? [items[item].request(box(of: item))] : []
    }
}
