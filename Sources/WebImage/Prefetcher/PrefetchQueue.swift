// SPDX-License-Identifier: MIT
/// The lists that have requests left. They take turns.
///
/// Lists are read one request at a time, so a long list costs no more than the caller's own collection. Two lists with
/// the same pictures proceed together and share every load.
struct PrefetchQueue {
    private struct List {
        let token: ImagePrefetcher.Token
        let next: () -> ImageRequest?
        var remaining: Int
    }

    private var lists: [List] = []
    private var turn = 0

    /// The number of lists that have requests left. For tests.
    var count: Int { lists.count }

    /// Adds the elements of `items`, which become requests when they are taken.
    mutating func add<Items: Collection>(
        _ items: Items, for token: ImagePrefetcher.Token, _ request: @escaping (Items.Element) -> ImageRequest
    ) {
        var iterator = items.makeIterator()
        lists.append(List(token: token, next: { iterator.next().map(request) }, remaining: token.progress.totalCount))
    }

    /// Takes the next request of the list whose turn it is. O(1), O(lists) when a list ends.
    mutating func popFirst() -> (request: ImageRequest, token: ImagePrefetcher.Token)? {
        while !lists.isEmpty {
            if turn >= lists.count { turn = 0 }
            let token = lists[turn].token
            if lists[turn].remaining > 0, let request = lists[turn].next() {
                lists[turn].remaining -= 1
                if lists[turn].remaining == 0 { lists.remove(at: turn) } else { turn += 1 }
                return (request, token)
            }
            // The collection holds fewer elements than its count.
            token.countCancelled(lists.remove(at: turn).remaining)
        }
        return nil
    }

    /// Removes the list of `token`, if it has requests left. O(lists).
    mutating func remove(_ token: ImagePrefetcher.Token) {
        guard let place = lists.firstIndex(where: { $0.token === token }) else { return }
        lists.remove(at: place)
        if place < turn { turn -= 1 }
    }
}
