// SPDX-License-Identifier: MIT
import WebImageBinding

/// Remembers the painted patch of each cell, so that only changed cells are painted again.
struct PatchStore: Sendable {
    /// Everything the pixels depend on.
    private struct Key: Hashable {
        let layer: [Int]
        let previous: [Int]
        let mix: Int
        let size: PixelSize
    }

    private struct Entry {
        let key: Key
        let patch: Patch
        let revision: Int
        /// The characters that show the patch, once they are needed.
        var characters: (graphics: Graphics, cells: [ScreenCell])?
    }

    private var entries: [Int: Entry] = [:]
    private var used: Set<Int> = []
    private(set) var revision = 0

    /// Patches that are not requested before ``end()`` are dropped.
    mutating func begin() { used = [] }

    mutating func end() { entries = entries.filter { used.contains($0.key) } }

    /// The characters that show a tile, row by row.
    ///
    /// - Parameter graphics: One of those that are text.
    mutating func cells(of tile: Scene.Tile, _ size: PixelSize, _ graphics: Graphics) -> [ScreenCell] {
        let patch = patch(of: tile, size).patch
        if let known = entries[tile.id]?.characters, known.graphics == graphics { return known.cells }
        let cells = graphics == .blocks ? HalfBlocks.cells(patch) : Glyphs.cells(patch, graphics)
        entries[tile.id]?.characters = (graphics, cells)
        return cells
    }

    mutating func patch(of tile: Scene.Tile, _ size: PixelSize) -> (patch: Patch, revision: Int) {
        used.insert(tile.id)
        let key = Key(
            layer: tile.layer.map { [$0.serial, $0.frame] } ?? [],
            previous: tile.previous.map { [$0.serial, $0.frame] } ?? [], mix: tile.mix, size: size)
        if let entry = entries[tile.id], entry.key == key { return (entry.patch, entry.revision) }
        // Beside a picture of another shape there is nothing to see, but for the empty cell that it fades in over.
        let ground = tile.previous == nil ? Color.tile.mixed(with: .background, tile.mix) : .background
        var patch = Patch(width: size.width, height: size.height, color: ground)
        if let previous = tile.previous, tile.mix < 256 { patch.draw(previous.picture, frame: previous.played?.frame) }
        if let layer = tile.layer { patch.draw(layer.picture, frame: layer.played?.frame, opacity: tile.mix) }
        revision += 1
        entries[tile.id] = Entry(key: key, patch: patch, revision: revision)
        return (patch, revision)
    }
}
