// SPDX-License-Identifier: MIT
/// A set of status codes, kept as ranges.
///
/// ```swift
/// request.options.acceptableStatuses = HTTPStatusSet.success.union([304, 410])
/// ```
public struct HTTPStatusSet: Sendable, Hashable {
    private var codes: RangeSet<Int>

    /// 200 … 299.
    public static let success = HTTPStatusSet(200...299)
    /// Every status.
    public static let all = HTTPStatusSet(0...999)

    /// Creates a set of ranges. Only codes within 0 … 999 count.
    public init(_ ranges: ClosedRange<Int>...) {
        codes = RangeSet(ranges.filter { $0.overlaps(0...999) }.map { Range($0.clamped(to: 0...999)) })
    }

    /// Whether the code is in the set.
    /// - Complexity: O(log *n*) in the number of ranges.
    public func contains(_ status: Int) -> Bool { codes.contains(status) }

    /// The codes of both sets.
    package func union(_ other: HTTPStatusSet) -> HTTPStatusSet {
        var sum = self
        sum.codes.formUnion(other.codes)
        return sum
    }

    /// The codes that are not in the other set.
    public func subtracting(_ other: HTTPStatusSet) -> HTTPStatusSet {
        var rest = self
        rest.codes.subtract(other.codes)
        return rest
    }
}

extension HTTPStatusSet: ExpressibleByArrayLiteral {
    /// Creates a set of single codes.
    public init(arrayLiteral elements: Int...) {
        codes = RangeSet(elements.filter { (0...999).contains($0) }.map { $0..<$0 + 1 })
    }
}

extension HTTPStatusSet: CustomStringConvertible {
    /// The ranges in order, such as `200-299, 304`.
    public var description: String {
        codes.ranges
            .map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound - 1)" }
            .joined(separator: ", ")
    }
}
