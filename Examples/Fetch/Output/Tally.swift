// SPDX-License-Identifier: MIT
/// What a run has done so far.
struct Tally {
    /// The number of outcomes in the end.
    var count = 0
    private(set) var failed = 0
    private var bytes = 0
    private var sources: [Outcome.Source: Int] = [:]

    var done: Int { failed + sources.values.reduce(0, +) }

    mutating func note(_ outcome: Outcome) {
        switch outcome.result {
        case .success(let picture):
            sources[picture.source, default: 0] += 1
            bytes += picture.bytes
        case .failure: failed += 1
        }
    }

    /// `8 pictures, 1.2 MB in 0.4 s: 6 network, 2 disk; 1 failed`.
    func summary(took duration: Duration) -> String {
        let order: [Outcome.Source] = [.network, .revalidated, .disk, .memory, .file]
        let parts = order.compactMap { source in sources[source].map { "\($0) \(source.rawValue)" } }
        let pictures = done - failed
        return "\(pictures) \(pictures == 1 ? "picture" : "pictures"), \(Amount.bytes(bytes)) in "
            + Amount.seconds(duration) + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", "))
            + (failed > 0 ? "; \(failed) failed" : "")
    }
}
