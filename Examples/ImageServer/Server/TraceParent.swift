// SPDX-License-Identifier: MIT
/// A `traceparent` field: the trace that a request belongs to.
///
/// - Source: W3C Trace Context, section 3.2.
struct TraceParent: Equatable {
    /// 32 hexadecimal digits.
    let traceID: String

    /// - Returns: `nil` for a field that must be ignored.
    init?(_ field: String) {
        let parts = field.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, field.utf8.count <= 512, Self.isHexadecimal(parts[0], 2), parts[0] != "ff",
            parts[0] != "00" || parts.count == 4, Self.isHexadecimal(parts[1], 32), Self.isHexadecimal(parts[2], 16),
            Self.isHexadecimal(parts[3], 2), parts[1].contains(where: { $0 != "0" }),
            parts[2].contains(where: { $0 != "0" })
        else { return nil }
        traceID = String(parts[1])
    }

    private static func isHexadecimal(_ text: Substring, _ count: Int) -> Bool {
        text.utf8.count == count
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
