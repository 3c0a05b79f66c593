// SPDX-License-Identifier: MIT
import Foundation
import WebImageBinding

@testable import gallery

/// Runs `body` with 60 small pictures, and ten for the board, from this machine.
///
/// - Parameter heldAnimationByteCount: The most bytes of an animation whose frames are all decoded at once.
@MainActor
func withStage(
    beginsWithBoard: Bool = false, pieces: DemoOrigin.Pieces? = nil, heldAnimationByteCount: Int? = nil,
    _ body: (Stage) async throws -> Void
) async throws {
    let size = PixelSize(width: 96, height: 64)
    let demo = try DemoOrigin(count: 60, size: size, pieces: pieces)
    let ten = try DemoOrigin(
        count: 10, size: size, pieces: DemoOrigin.Pieces(least: 14, more: 7), isStill: true)
    let folder = FileManager.default.temporaryDirectory.appending(path: "gallery-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    func configuration(_ name: String) -> ImageManager.Configuration {
        var configuration = ImageManager.Configuration()
        configuration.disk = .init(folder: folder.appending(path: name).path)
        configuration.downloader.maximumConcurrentDownloads = 4
        if let heldAnimationByteCount { configuration.maximumHeldAnimationByteCount = heldAnimationByteCount }
        configuration.transport.addressPolicy = .unrestricted
        return configuration
    }
    try await withImageManager(configuration("pictures")) { manager in
        try await withImageManager(configuration("board")) { crowded in
            // What the origins still hold arrives at once, so that the managers end without waiting for it.
            defer {
                demo.stop()
                ten.stop()
            }
            let flights = FlightBoard.Source(
                items: ten.items, manager: crowded, slots: 4, origin: ten, previewInterval: .zero)
            try await body(
                Stage(
                    items: demo.items, manager: manager, origin: demo, flights: flights,
                    beginsWithBoard: beginsWithBoard))
        }
    }
}
