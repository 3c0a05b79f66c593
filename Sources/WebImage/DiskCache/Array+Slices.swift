extension Array {
    /// Consecutive parts of at most `length` elements.
    func slices(of length: Int) -> [[Element]] {
        stride(from: 0, to: count, by: length).map { Array(self[$0..<Swift.min($0 + length, count)]) }
    }
}
