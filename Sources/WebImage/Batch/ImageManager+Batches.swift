extension ImageManager {
    /// Loads many pictures, a bounded number at once, and delivers each as soon as it has ended.
    ///
    /// ```swift
    /// for await outcome in manager.images(for: requests) {
    ///     guard let response = try? outcome.result.get() else { continue }
    ///     show(response.image, at: outcome.index)
    /// }
    /// ```
    ///
    /// Loads begin when the caller asks for the first element.
    ///
    /// - Parameters:
    ///   - requests: What to load, in the order in which loads begin. Read one by one while there is room, so it may be
    ///     lazy, and it may be endless.
    ///   - limit: The largest number of loads that run, or have ended and wait to be read. At least 1; a smaller number
    ///     counts as 1. 12 by default, twice what the downloader runs at once, so that pictures are decoded while
    ///     others arrive.
    /// - Complexity: O(`limit`) memory, whatever the length of the input.
    public nonisolated func images<Requests: Sequence<ImageRequest>>(
        for requests: Requests, atOnce limit: Int = 12
    ) -> ImageBatch<Requests> {
        ImageBatch(manager: self, requests: requests, limit: max(1, limit))
    }
}
