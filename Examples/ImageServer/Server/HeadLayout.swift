// SPDX-License-Identifier: MIT
import CMicrohttpd

/// Finds heads that libmicrohttpd before 1.0 reads otherwise than other parsers: it takes a NUL for the end of a text and
/// a line feed alone for the end of a line, joins folded lines, and skips lines without a name.
///
/// It reads a head where it lies, and writes a NUL over each separator. So each part of a head in which every line ends
/// with CR LF begins right after the one before. Only addresses are compared, but for the space before a value.
/// - Source: RFC 9112, sections 2.2 and 5.2.
struct HeadLayout {
    /// Whether the library that runs lays heads out as described here.
    ///
    /// Tried with Debian 12's. Another one may leave the parts elsewhere, and every request would be refused; Debian 13's
    /// 1.0.1 does. It refuses such heads itself, but ends a target at a NUL.
    static let isKnown = unsafe String(cString: MHD_get_version()) == "0.9.75"

    /// Where the head begins.
    private let start: UInt
    /// Where the next field begins.
    private var next: UInt
    /// Whether each part so far begins where it must.
    private(set) var isExact: Bool

    /// Begins with the addresses of the three parts of the first line.
    ///
    /// - Parameter targetCount: The bytes of the target up to the first NUL.
    init(method: UInt, methodCount: Int, target: UInt, targetCount: Int, version: UInt) {
        isExact = method &+ UInt(methodCount) &+ 1 == target && target &+ UInt(targetCount) &+ 1 == version
        start = method
        next = version &+ 8 &+ 2  // "HTTP/1.1", CR LF
    }

    /// Adds a field, in the order of the head.
    @unsafe mutating func add(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        let start = UInt(bitPattern: name.baseAddress)
        isExact = isExact && start == next
        guard isExact, let text = name.baseAddress else { return }
        // The value of a folded field lies elsewhere: then something else than space comes after the colon.
        let gap = UInt(bitPattern: value.baseAddress) &- start
        var index = name.count + 1
        while UInt(index) < gap, isExact {
            isExact = unsafe text[index] == 0x20 || text[index] == 0x09
            index += 1
        }
        next = start &+ UInt(index) &+ UInt(value.count) &+ 2
        isExact = isExact && UInt(index) == gap
    }

    /// Whether the head ends after the last field.
    ///
    /// - Parameter byteCount: The size of the head, with the empty line at its end.
    func ends(after byteCount: Int) -> Bool { isExact && start &+ UInt(byteCount) == next &+ 2 }
}
