// SPDX-License-Identifier: MIT
import Foundation
import WebImage
import WebImageTesting

/// Writes small files that cost much to a folder; `bombs.py` adds those that only a program without limits can make.
///
/// The suffix of a name says what is to be known from the header alone, `.header`, and what needs work, `.work`.
enum BombAttack {
    static func write(to folder: String) throws {
        for (name, bytes) in headers {
            try Data(bytes()).write(to: URL(filePath: "\(folder)/\(name).header"))
        }
        for (name, bytes) in works {
            try Data(bytes()).write(to: URL(filePath: "\(folder)/\(name).work"))
        }
    }

    private typealias Bomb = (String, @Sendable () -> [UInt8])

    private static let headers: [Bomb] = [
        ("webp-canvas-7000", { ImageFactory.canvasBombWebP() }),
        ("webp-anim-5x7000-lossless", { ImageFactory.canvasBombWebP(side: 7_000) }),
        ("webp-256-988", { ImageFactory.canvasBombWebP(frames: 256, canvas: 988) }),
        ("webp-1000-frames", { ImageFactory.canvasBombWebP(frames: 1_000, canvas: 200, side: 200) }),
        ("webp-16383-lossless", { ImageFactory.plainWebP(side: 16_383) }),
        ("gif-5x7000-1px", { ImageFactory.frameBombGIF(frames: 5, side: 7_000) }),
        ("gif-256-988-1px", { ImageFactory.frameBombGIF(frames: 256, side: 988) }),
        ("gif-256-988-disp3", { ImageFactory.fullFrameGIF() }),
        ("gif-65535-1px", { ImageFactory.frameBombGIF(frames: 1, side: 65_535) }),
        ("gif-2000-frames", { ImageFactory.frameBombGIF() }),
        ("gif-hdr", { ImageFactory.headerOnlyGIF() + [0x3B] }),
        ("gif-hdr-nomore", { ImageFactory.headerOnlyGIF() }),
        ("png-30000", { ImageFactory.oversizedPNG() }),
        ("jpg-65496-header", { Array(ImageFactory.scanBombJPEG(side: 65_496, scans: 1, components: 1).prefix(100)) }),
    ]

    private static let works: [Bomb] = [
        ("jpg-prog-49MP-1", { ImageFactory.scanBombJPEG(scans: 1) }),
        ("jpg-prog-49MP-20", { ImageFactory.scanBombJPEG(scans: 20) }),
        ("jpg-prog-49MP-98", { ImageFactory.scanBombJPEG(scans: 98) }),
        ("jpg-prog-49MP-120", { ImageFactory.scanBombJPEG(scans: 120) }),
        ("jpg-prog-49MP-5000", { ImageFactory.scanBombJPEG(scans: 5_000) }),
        ("jpg-prog-49MP-grey-60", { ImageFactory.scanBombJPEG(scans: 60, components: 1) }),
        ("jpg-prog-49MP-cmyk-98", { ImageFactory.scanBombJPEG(scans: 98, components: 4) }),
        ("jpg-250000-markers", { ImageFactory.markerBombJPEG(segments: 250_000) }),
        ("webp-7071-lossless", { ImageFactory.plainWebP(side: 7_071) }),
        ("webp-5000-lossless", { ImageFactory.plainWebP(side: 5_000) }),
        ("webp-125000-chunks", { ImageFactory.chunkBombWebP(chunks: 125_000) }),
        ("webp-code-groups", { ImageFactory.codeGroupBombWebP() }),
        ("gif-50-988-disp3", { ImageFactory.fullFrameGIF(frames: 50) }),
        ("gif-7071", { ImageFactory.fullFrameGIF(frames: 1, side: 7_071) }),
        ("gif-comments", { ImageFactory.commentBombGIF(byteCount: 1 << 20) }),
        ("gif-clear-codes", { ImageFactory.clearCodeGIF() }),
        ("png-idat-1GB", { ImageFactory.endlessPNG(byteCount: 1 << 20) }),
        ("png-80000-chunks", { ImageFactory.chunkBombPNG(chunks: 80_000) }),
    ]
}
