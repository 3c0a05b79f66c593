// SPDX-License-Identifier: MIT
import WebImageBinding

extension Gallery {
    /// Empties caches.
    ///
    /// The screen does not change.
    func clear(_ tiers: CacheTiers) {
        // Unstructured because a key does not wait; a script waits for `clearing`.
        let before = clearing
        clearing = Task(name: "clear") { [manager] in
            await before?.value
            // A folder that cannot be emptied is left as it is.
            try? await manager.clear(tiers)
            manager.forgetFailures()
        }
    }

    func togglePrefetching() {
        prefetches.toggle()
        prefetch()
    }

    /// Tells the prefetcher which items are about to appear, and which are not any more.
    func prefetch() {
        let near = prefetches && items.count > cells.count ? grid.near(top: top) : []
        prefetcher.willNotAppear(prefetcher.pending.subtracting(near))
        prefetcher.willAppear(near)
    }

    func prefetched(_ item: Int) -> [ImageRequest] {
        items.indices.contains(item) ? [items[item].request(box(of: item))] : []
    }
}
