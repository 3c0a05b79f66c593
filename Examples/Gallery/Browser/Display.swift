// SPDX-License-Identifier: MIT
import WebImageBinding
import WebImageTesting

/// Paints scenes and sends them to the terminal, away from the main actor.
///
/// It runs on a queue of its own because writing to a terminal blocks when the terminal is slow.
actor Display {
    /// The counts of a display.
    struct Report: Sendable, Hashable {
        var sceneCount = 0
        var byteCount = 0
        /// Pictures whose pixels were compared with their index.
        var checkedCount = 0
        /// Pictures that did not belong to their cell.
        var wrongCount = 0
    }

    private let executor = QueueExecutor("display")
    private let graphics: Graphics
    private let checksPictures: Bool
    private let send: @Sendable ([UInt8]) throws -> Void
    private var patches = PatchStore()
    private var shown: Composition?
    /// The picture that each cell showed when it was checked last.
    private var checked: [Int: Int] = [:]
    private(set) var report = Report()

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - graphics: How pictures are drawn.
    ///   - checksPictures: Whether every picture carries its index in its pixels.
    ///   - send: Writes to the terminal. Called on the display's queue; may block.
    init(_ graphics: Graphics, checksPictures: Bool, send: @escaping @Sendable ([UInt8]) throws -> Void) {
        self.graphics = graphics
        self.checksPictures = checksPictures
        self.send = send
    }

    /// The contents of the screen.
    var composition: Composition? { shown }

    /// Forgets what the terminal shows, after another program has written to it: the next scene is sent as a whole.
    func invalidate() { shown = nil }

    /// Puts a scene onto the screen.
    ///
    /// - Throws: The errors of `send`.
    func show(_ scene: Scene) throws {
        if checksPictures { check(scene) }
        let next = Composition(scene, graphics, &patches)
        let bytes = Self.bytes(from: shown, to: next, graphics)
        shown = next
        report.sceneCount += 1
        report.byteCount += bytes.count
        if !bytes.isEmpty { try send(Array("\u{1B}[?2026h".utf8) + bytes + Array("\u{1B}[?2026l".utf8)) }
    }

    /// Text first, because it removes the sixels below it.
    private static func bytes(from old: Composition?, to new: Composition, _ graphics: Graphics) -> [UInt8] {
        let isSameSize = old?.screen.columns == new.screen.columns && old?.screen.rows == new.screen.rows
        let known = isSameSize ? old?.placements ?? [] : []
        var bytes: [UInt8] = []
        if graphics == .kitty {
            if !isSameSize { bytes += Kitty.removeAll }
            let kept = Set(new.placements.map(\.id))
            for placement in known where !kept.contains(placement.id) { bytes += Kitty.remove(id: placement.id) }
        }
        bytes += ScreenDiff.bytes(from: old?.screen, to: new.screen)
        for placement in new.placements {
            let isKnown = known.contains { $0.revision == placement.revision && $0.rect == placement.rect }
            if isKnown { continue }
            bytes += ScreenDiff.move(placement.rect.column, placement.rect.row)
            switch graphics {
            case .kitty:
                bytes += Kitty.bytes(
                    placement.patch, id: placement.id, columns: placement.rect.columns, rows: placement.rect.rows,
                    isOnTop: placement.isOnTop)
            case .sixel: bytes += Sixel.bytes(placement.patch)
            case .blocks, .quadrants, .octants: break
            }
        }
        return bytes
    }

    private func check(_ scene: Scene) {
        for tile in scene.tiles {
            guard let layer = tile.layer, !layer.isPreview,
                checked.updateValue(layer.serial, forKey: tile.id) != layer.serial,
                let seed = ImageFactory.seed(of: layer.picture)
            else { continue }
            report.checkedCount += 1
            if seed != tile.item { report.wrongCount += 1 }
        }
    }
}
