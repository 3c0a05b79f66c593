// SPDX-License-Identifier: MIT
/// Elements in the order of their arrival, each of which may be taken out at any time.
///
/// An element keeps the number that it arrived under, so it is found by bisection. An element that is taken out leaves
/// a gap. Gaps are closed when they outnumber the elements, so memory follows those that are present.
///
/// To append costs O(1), to take out O(log n), both amortised. To insert in the middle shifts what arrived later.
@usableFromInline struct ArrivalList<Element> {
    @usableFromInline var entries: [(number: Int, element: Element?)] = []
    /// Before it are gaps only.
    @usableFromInline var start = 0
    /// How many elements are present.
    @usableFromInline var count = 0
    /// The number that was given last.
    @usableFromInline var lastNumber = 0

    @inlinable init() {}

    @inlinable var isEmpty: Bool { count == 0 }

    /// Adds an element.
    ///
    /// - Returns: Its number, from 1. None is given twice.
    @inlinable mutating func append(_ element: Element) -> Int {
        insert(element, number: lastNumber + 1)
        return lastNumber
    }

    /// Adds an element at the place that its number gives it.
    @inlinable mutating func insert(_ element: Element, number: Int) {
        count += 1
        if number > lastNumber {
            lastNumber = number
            entries.append((number, element))
        } else {
            entries.insert((number, element), at: index(of: number))
        }
    }

    /// Takes the element with this number out; `nil` when it is gone.
    @inlinable mutating func remove(_ number: Int) -> Element? {
        let index = index(of: number)
        guard index < entries.count, entries[index].number == number, let element = entries[index].element.take()
        else { return nil }
        count -= 1
        closeGaps()
        return element
    }

    /// The element with this number; `nil` when it is gone, and then nothing is put in its place.
    @inlinable subscript(number: Int) -> Element? {
        get {
            let index = index(of: number)
            return index < entries.count && entries[index].number == number ? entries[index].element : nil
        }
        set { if self[number] != nil { entries[index(of: number)].element = newValue } }
    }

    /// Takes every element out.
    ///
    /// - Returns: A list of them.
    @inlinable mutating func removeAll() -> ArrivalList {
        defer { (entries, start, count) = ([], 0, 0) }
        return self
    }

    @inlinable mutating func closeGaps() {
        guard entries.count > 2 * count + 16 else { return }
        entries.removeAll { $0.element == nil }
        start = 0
    }

    @inlinable func index(of number: Int) -> Int {
        var (low, high) = (start, entries.count)
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension ArrivalList: Sendable where Element: Sendable {}

/// The elements that are present, in the order of arrival.
extension ArrivalList: Sequence {
    @usableFromInline struct Iterator: IteratorProtocol {
        @usableFromInline let list: ArrivalList
        @usableFromInline var index: Int

        @inlinable init(_ list: ArrivalList) { (self.list, index) = (list, list.start) }

        @inlinable mutating func next() -> Element? {
            while index < list.entries.count {
                defer { index += 1 }
                if let element = list.entries[index].element { return element }
            }
            return nil
        }
    }

    @inlinable func makeIterator() -> Iterator { Iterator(self) }
}

extension ArrivalList: ExpressibleByArrayLiteral {
    @inlinable init(arrayLiteral elements: Element...) { for element in elements { _ = append(element) } }
}

// MARK: - The two ends

extension ArrivalList {
    /// The element that arrived first, and its number. What is before it is dropped.
    @inlinable var first: (number: Int, element: Element)? {
        mutating get {
            while start < entries.count {
                if let element = entries[start].element { return (entries[start].number, element) }
                start += 1
            }
            return nil
        }
    }

    /// The element that arrived last, and its number. What is behind it is dropped.
    @inlinable var last: (number: Int, element: Element)? {
        mutating get {
            while let last = entries.last {
                if let element = last.element { return (last.number, element) }
                entries.removeLast()
                start = Swift.min(start, entries.count)
            }
            return nil
        }
    }
}
