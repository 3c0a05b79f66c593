// SPDX-License-Identifier: MIT
/// One line of the progress: a name, a bar, and numbers, as far as there is room.
struct ProgressLine {
    var name: String
    /// The number of characters with which all names begin.
    var shared = 0
    /// 0 to 1; `nil` when the end is unknown.
    var fraction: Double?
    var byteCount: Int
    var speed: Double?
    var remaining: Duration?

    /// How a bar is drawn.
    struct Style: Sendable {
        let colours: Colours
        /// Whether the terminal shows more than ASCII.
        let isUnicode: Bool
    }

    /// The line in at most this many columns.
    ///
    /// - Parameter step: Moves the bar of an unknown length.
    func text(columns: Int, step: Int, _ style: Style) -> String {
        let percent = (fraction.map { "\(Int($0 * 100))%" } ?? "").leftPadded(to: 4)
        let speed = (self.speed.map { Amount.bytes(Int($0)) + "/s" } ?? "").leftPadded(to: 9)
        let time = (remaining.map { Amount.clock($0) } ?? "").leftPadded(to: 5)
        let amount = Amount.bytes(byteCount).leftPadded(to: 7)
        let numbers: [String]
        let width: Int
        switch columns {
        case 100...: (numbers, width) = ([percent, amount, speed, time], 24)
        case 70...: (numbers, width) = ([percent, amount, speed, time], 16)
        case 50...: (numbers, width) = ([percent, amount, speed, time], 8)
        case 36...: (numbers, width) = ([percent, time], 6)
        case 24...: (numbers, width) = ([percent], 0)
        default: return name.shortened(to: max(0, columns), sharing: shared)
        }
        let end = numbers.joined(separator: " ")
        let bar = width == 0 ? "" : " " + style.colours.bar(Self.bar(fraction, width, step, style.isUnicode))
        let room = columns - end.count - 1 - (width == 0 ? 0 : width + 1)
        return name.shortened(to: room, sharing: shared).padded(to: room) + bar + " " + end
    }

    private static func bar(_ fraction: Double?, _ width: Int, _ step: Int, _ isUnicode: Bool) -> String {
        let (full, empty) = isUnicode ? ("█", "░") : ("#", ".")
        guard let fraction else {
            // A block of three goes to and fro.
            let range = width - 3
            let place = step % (2 * range)
            let start = place < range ? place : 2 * range - place
            return String(repeating: empty, count: start) + String(repeating: full, count: 3)
                + String(repeating: empty, count: range - start)
        }
        let eighths = Int(min(1, max(0, fraction)) * Double(width * 8))
        let whole = eighths / 8
        let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        let part = isUnicode ? parts[eighths % 8] : ""
        return String(repeating: full, count: whole) + part
            + String(repeating: empty, count: width - whole - part.count)
    }
}
