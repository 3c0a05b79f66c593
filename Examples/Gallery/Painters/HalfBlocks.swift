// SPDX-License-Identifier: MIT
/// Paints with characters whose upper half has one colour and whose lower half has another.
///
/// Every terminal with 24-bit colours can do it. One column is a pixel wide, one row is two pixels high.
enum HalfBlocks {
    /// The cells that show a patch, row by row, `patch.width` to each; the patch has an even height.
    static func cells(_ patch: Patch) -> [ScreenCell] {
        var cells: [ScreenCell] = []
        cells.reserveCapacity(patch.width * (patch.height / 2))
        for row in 0..<patch.height / 2 {
            for column in 0..<patch.width {
                cells.append(
                    ScreenCell(
                        character: ScreenCell.upperHalf, foreground: patch.color(column, row * 2),
                        background: patch.color(column, row * 2 + 1)))
            }
        }
        return cells
    }
}
