// SPDX-License-Identifier: MIT
/// Elements, first in, first out: an array with a head that moves.
///
/// The places before the head are dropped as soon as they are more than the elements behind it. So there are at most
/// two places for each element, and every operation is O(1) amortised. An element is released when it leaves.
package struct HeadQueue<Element> {
    private var places: [Element?] = []
    private var head = 0

    /// An empty queue.
    package init() {}

    /// The number of elements.
    package var count: Int { places.count - head }

    /// The number of places, those before the head included. For tests.
    package var placeCount: Int { places.count }

    /// The element that leaves next.
    package var first: Element? { head < places.count ? places[head] : nil }

    /// Adds an element that leaves after all others.
    package mutating func append(_ element: Element) { places.append(element) }

    /// Removes the element that came first.
    package mutating func popFirst() -> Element? {
        guard head < places.count else { return nil }
        let element = places[head].take()
        head += 1
        if head > count {
            places.removeFirst(head)
            head = 0
        }
        return element
    }
}
