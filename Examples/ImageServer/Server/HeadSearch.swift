// SPDX-License-Identifier: MIT
import PlatformBasics

/// Finds the end of a head in the bytes of a connection, as they come.
///
/// Every line ends with CR LF; an empty one before the first line is skipped.
/// - Source: RFC 9112, section 2.2.
struct HeadSearch {
    /// The first bytes of the lines, and of the bytes after the last one.
    private(set) var lines: [Int]
    /// The bytes before this one have been searched.
    private var searched: Int
    private var hasContent = false

    /// - Parameter start: The place of the first byte of the head.
    init(from start: Int = 0) {
        lines = [start]
        searched = start
    }

    /// Whether the first line has come whole.
    var hasFirstLine: Bool { hasContent }

    /// Searches the bytes that have come since the last call.
    ///
    /// - Returns: The place after the empty line that ends the head; `nil` while it has not come.
    /// - Throws: ``RequestHead/Refusal`` for a line feed alone.
    /// - Complexity: O(*n*) in the number of new bytes.
    mutating func end(in bytes: [UInt8]) throws(RequestHead.Refusal) -> Int? {
        while let feed = Self.lineFeed(in: bytes, from: searched) {
            searched = feed + 1
            let start = lines[lines.count - 1]
            guard feed > start, bytes[feed - 1] == 0x0D else {
                throw RequestHead.Refusal(status: 400, detail: "A line of the head does not end with CR LF.")
            }
            lines.append(searched)
            if feed - 1 > start { hasContent = true } else if hasContent { return searched }
        }
        searched = bytes.count
        return nil
    }

    private static func lineFeed(in bytes: [UInt8], from start: Int) -> Int? {
        unsafe bytes.withUnsafeBytes { bytes in
            guard start < bytes.count, let base = bytes.baseAddress,
                let found = unsafe memchr(base + start, 0x0A, bytes.count - start)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - base
        }
    }
}
