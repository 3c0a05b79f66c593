// SPDX-License-Identifier: MIT
import WebImageBinding

/// A scene as characters, and the pictures that the terminal's own graphics draw over them.
struct Composition: Sendable {
    /// A picture and the cells that it covers.
    struct Placement: Sendable {
        let id: Int
        let rect: ScreenRect
        let patch: Patch
        /// Changes whenever the pixels do.
        let revision: Int
        var isOnTop = false
    }

    private(set) var screen: Screen
    private(set) var placements: [Placement] = []

    /// - Parameters:
    ///   - scene: The scene to show.
    ///   - graphics: How the pictures are drawn.
    ///   - patches: Paints those that have changed, and remembers the others.
    init(_ scene: Scene, _ graphics: Graphics, _ patches: inout PatchStore) {
        screen = Screen(columns: scene.size.columns, rows: scene.size.rows)
        patches.begin()
        for tile in scene.tiles {
            if tile.layer == nil && tile.previous == nil {
                screen.fill(tile.rect, with: ScreenCell(background: .tile))
            } else {
                var size = scene.size.pixels(of: tile.rect, graphics)
                if graphics.isText {
                    let cells = patches.cells(of: tile, size, graphics)
                    for (position, cell) in cells.enumerated() {
                        let (row, column) = position.quotientAndRemainder(dividingBy: tile.rect.columns)
                        screen.put(cell, tile.rect.column + column, tile.rect.row + row)
                    }
                } else {
                    // The terminal enlarges what is seen for a moment.
                    let part = tile.isMoving ? max(1, size.width / 400) : 1
                    size = PixelSize(width: size.width / part, height: max(1, size.height / part))
                    let (patch, revision) = patches.patch(of: tile, size)
                    var cell = ScreenCell(background: .tile)
                    cell.picture = tile.id
                    screen.fill(tile.rect, with: cell)
                    placements.append(
                        Placement(
                            id: tile.id, rect: tile.rect, patch: patch, revision: revision, isOnTop: tile.isMoving))
                }
            }
            if !tile.isBare { label(tile) }
        }
        for label in scene.labels {
            screen.write(label.text, label.column, label.row, label.color, on: label.background)
        }
        patches.end()
        write(scene.help)
        write(scene.status)
    }

    private mutating func label(_ tile: Scene.Tile) {
        let row = tile.rect.row + tile.rect.rows
        let width = tile.rect.columns
        let ink: Color = tile.hasFailed ? .alarm : tile.isSelected ? .background : .dim
        let ground: Color = tile.isSelected ? .accent : .background
        let blank = ScreenCell(background: ground)
        screen.fill(ScreenRect(column: tile.rect.column, row: row, columns: width, rows: 1), with: blank)
        // A bar is short beside a long caption, and beside a very long one there is number and format.
        let isShort = tile.progress != nil && tile.caption.count > width - 5
        let caption = isShort ? tile.caption.prefix { $0 != "," } : tile.caption[...]
        screen.write(String(caption.prefix(width)), tile.rect.column, row, ink, on: ground)
        guard let progress = tile.progress else { return }
        let isEmpty = tile.layer == nil && tile.previous == nil
        let bar = isEmpty ? max(0, width - 8) : min(8, max(0, width - caption.count - 1))
        let column = tile.rect.column + width - bar - (isEmpty ? 4 : 0)
        let done = Int((Double(bar) * min(1, max(0, progress))).rounded())
        let line = isEmpty ? tile.rect.row + tile.rect.rows / 2 : row
        let back: Color = isEmpty ? .tile : ground
        screen.write(String(repeating: "━", count: done), column, line, .accent, on: back)
        screen.write(String(repeating: "─", count: bar - done), column + done, line, .dim, on: back)
    }

    /// In the middle, or from the top when there are too many.
    private mutating func write(_ help: [String]) {
        let width = help.map(\.count).max() ?? 0
        let (left, top) = (max(1, (screen.columns - width) / 2), max(0, (screen.rows - 1 - help.count) / 2))
        for (offset, line) in help.prefix(max(0, screen.rows - 1)).enumerated() {
            screen.write(line, left, top + offset)
        }
    }

    private mutating func write(_ status: (String, String)) {
        let row = screen.rows - 1
        screen.fill(
            ScreenRect(column: 0, row: row, columns: screen.columns, rows: 1), with: ScreenCell(background: .tile))
        screen.write(status.0, 1, row, .text, on: .tile)
        let column = screen.columns - status.1.count - 1
        if column > status.0.count + 2 { screen.write(status.1, column, row, .dim, on: .tile) }
    }
}
