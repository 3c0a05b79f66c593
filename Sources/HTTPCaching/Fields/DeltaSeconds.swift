// SPDX-License-Identifier: MIT
/// Numbers of seconds in fields.
enum DeltaSeconds {
    /// Larger numbers count as this one.
    /// - Source: RFC 9111, section 1.2.2.
    static let largest = 2_147_483_648

    /// Reads digits, and nothing else; `nil` for any other text.
    static func parse(_ text: some Collection<UInt8>) -> Int? {
        guard !text.isEmpty, text.allSatisfy(FieldText.isDigit) else { return nil }
        var number = 0
        for digit in text where number < largest { number = number * 10 + Int(digit - 0x30) }
        return min(number, largest)
    }

    /// A number of seconds that no sum in this module overflows.
    static func clamped(_ seconds: Int) -> Int { min(max(0, seconds), largest) }
}
