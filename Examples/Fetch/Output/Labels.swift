// SPDX-License-Identifier: MIT
import PlatformBasics

/// Short names for URLs: what tells them apart.
struct Labels: Sendable {
    private let hasQueries: Bool
    /// The number of characters that all begin with.
    private let start: Int
    /// The number of characters with which all labels begin.
    let shared: Int

    init(_ urls: [String]) {
        hasQueries = Set(urls.map(Self.path)).count < urls.count
        guard let first = urls.first, urls.count > 1 else {
            (start, shared) = (0, 0)
            return
        }
        let common = urls.reduce(first) { common, url in String(zip(common, url).prefix { $0 == $1 }.map(\.0)) }
        // Up to a slash, so that no name is cut.
        start = common.lastIndex(of: "/").map { common.distance(from: common.startIndex, to: $0) + 1 } ?? 0
        shared = start == 0 ? 0 : common.count - start
    }

    /// The name of one of the URLs; of a single one, its last part.
    func label(for url: String) -> String {
        let text = hasQueries ? url : Self.path(url)
        let label = start == 0 ? text.split(separator: "/").last ?? "" : text.dropFirst(start)
        return label.isEmpty ? url : String(label)
    }

    private static func path(_ url: String) -> String { String(url.prefix { $0 != "?" && $0 != "#" }) }
}
