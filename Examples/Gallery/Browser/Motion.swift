// SPDX-License-Identifier: MIT
/// A picture on its way between its place in the grid and the whole screen.
@MainActor
struct Motion {
    static let duration = Duration.milliseconds(240)

    let item: Int
    let opens: Bool
    private let fade: Fade

    init(of item: Int, opens: Bool, _ clock: some Clock<Duration>) {
        self.item = item
        self.opens = opens
        fade = Fade(Self.duration, clock)
    }

    var isOver: Bool { fade.mix >= 256 }

    /// Where the picture is now; it starts and ends slowly.
    func rect(from small: ScreenRect, to whole: ScreenRect) -> ScreenRect {
        Self.rect(at: opens ? fade.mix : 256 - fade.mix, from: small, to: whole)
    }

    /// - Parameter mix: 0 for `small`, 256 for `whole`.
    nonisolated static func rect(at mix: Int, from small: ScreenRect, to whole: ScreenRect) -> ScreenRect {
        let part = Double(min(256, max(0, mix))) / 256
        let eased = part * part * (3 - 2 * part)
        func between(_ one: Int, _ other: Int) -> Int { one + Int((Double(other - one) * eased).rounded()) }
        return ScreenRect(
            column: between(small.column, whole.column), row: between(small.row, whole.row),
            columns: max(1, between(small.columns, whole.columns)), rows: max(1, between(small.rows, whole.rows)))
    }
}
