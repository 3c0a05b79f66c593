// SPDX-License-Identifier: MIT
import WebImageBinding

/// The screens of a script with their times, as an animated picture.
struct Film: Sendable {
    /// How long the last screen stays.
    static let lastScreen = Duration.seconds(3)
    /// The shortest time that a screen is shown, unless it is part of a motion: more frames make a large file.
    static let spacing = Duration.milliseconds(200)

    private struct Screenshot {
        let composition: Composition
        let time: Duration
    }

    private let cell: PixelSize
    private var screenshots: [Screenshot] = []
    /// The newest screen, while it is too early for another frame.
    private var waiting: Screenshot?

    /// - Parameter cell: The pixels that a character takes.
    init(cell: PixelSize) { self.cell = cell }

    /// The number of different screens.
    var count: Int { all.count }

    private var all: [Screenshot] { screenshots + (waiting.map { [$0] } ?? []) }

    /// Adds what is on the screen from `time` on; a screen like the one before lasts longer instead.
    ///
    /// - Parameter isMotion: Whether the screen is kept however short it is shown.
    mutating func add(_ composition: Composition, at time: Duration, isMotion: Bool = false) {
        let screenshot = Screenshot(composition: composition, time: time)
        waiting = nil
        if let last = screenshots.last {
            if last.composition.isSame(as: composition) { return }
            if last.time == time {
                screenshots.removeLast()
            } else if time - last.time < Self.spacing, !isMotion {
                waiting = screenshot
                return
            }
        }
        screenshots.append(screenshot)
    }

    /// The file, without dithering: the screens are made of plain colours.
    ///
    /// - Throws: `ImageError` without a screen, or when it has no pixel.
    func gif() throws -> [UInt8] {
        let frames = Frames(cell: cell, screenshots: all)
        guard let first = all.first else { return [] }
        let picture = Raster(first.composition, cell: cell)
        let image = try DecodedImage(
            width: picture.width, height: picture.height, firstFrame: picture.pixels, source: frames, hasAlpha: false)
        return try ImageCoders.default.encode(image, as: .gif(isDithered: false))
    }

    /// Draws the screens when the encoder asks for them: all at once would take hundreds of megabytes.
    private struct Frames: FrameSource {
        let cell: PixelSize
        let screenshots: [Screenshot]
        let byteCount = 0

        var durations: [Duration] {
            zip(screenshots, screenshots.dropFirst()).map { $1.time - $0.time } + [Film.lastScreen]
        }

        func pixels(at index: Int) throws -> [UInt8] { Raster(screenshots[index].composition, cell: cell).pixels }
    }
}

extension Composition {
    /// Whether both look the same.
    func isSame(as other: Composition) -> Bool {
        screen == other.screen && placements.count == other.placements.count
            && zip(placements, other.placements).allSatisfy { $0.revision == $1.revision && $0.rect == $1.rect }
    }
}
