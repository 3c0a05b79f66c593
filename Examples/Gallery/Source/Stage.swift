// SPDX-License-Identifier: MIT
import Foundation
import WebImageBinding

/// What a gallery shows and where it comes from: the user's addresses, or the pictures of origins on this machine.
@MainActor
struct Stage {
    let items: [Item]
    let manager: ImageManager
    /// The origin of the pictures; `nil` for the user's addresses.
    var origin: DemoOrigin?
    var flights: FlightBoard.Source?
    /// Whether the board is what is shown first.
    var beginsWithBoard = false

    var checksPictures: Bool { origin != nil }

    /// Runs `body` with managers and, without addresses, with origins and folders that are removed afterwards.
    static func with<T>(_ options: Options, _ urls: [Item], _ body: (Stage) async throws -> T) async throws -> T {
        var configuration = ImageManager.Configuration()
        if urls.isEmpty { return try await withDemonstration(options, body) }
        if options.allowsPrivate { configuration.transport.addressPolicy = .unrestricted }
        return try await withImageManager(configuration, shutdownWithin: .seconds(1)) { manager in
            let slots = configuration.downloader.maximumConcurrentDownloads
            let flights = FlightBoard.Source(items: urls, manager: manager, slots: slots)
            return try await body(
                Stage(items: urls, manager: manager, flights: flights, beginsWithBoard: options.isLive))
        }
    }

    private static func withDemonstration<T>(
        _ options: Options, _ body: (Stage) async throws -> T
    ) async throws -> T {
        let size = options.pictureSize ?? (options.isTimed ? PixelSize(width: 1_776, height: 1_184) : nil)
        let pieces = options.isRecorded ? DemoOrigin.Pieces(least: 2, more: 5) : nil
        let demo = try DemoOrigin(
            count: options.count, size: size ?? PixelSize(width: 720, height: 480), pieces: pieces)
        let ten = try DemoOrigin(
            count: FlightBoard.pictureCount, size: PixelSize(width: 480, height: 320),
            pieces: DemoOrigin.Pieces(least: 14, more: 7), isStill: true)
        let folder = FileManager.default.temporaryDirectory.appending(path: "gallery-\(UUID().uuidString)")
        defer {
            demo.stop()
            ten.stop()
            try? FileManager.default.removeItem(at: folder)
        }
        let manager = configuration(folder.appending(path: "pictures"))
        let board = configuration(folder.appending(path: "board"))
        return try await withImageManager(manager, shutdownWithin: .seconds(1)) { manager in
            try await withImageManager(board, shutdownWithin: .seconds(1)) { crowded in
                var flights = FlightBoard.Source(items: ten.items, manager: crowded, slots: 4, origin: ten)
                flights.previewInterval = options.isRecorded ? .zero : .milliseconds(200)
                return try await body(
                    Stage(
                        items: demo.items, manager: manager, origin: demo, flights: flights,
                        beginsWithBoard: options.isLive))
            }
        }
    }

    private static func configuration(_ folder: URL) -> ImageManager.Configuration {
        var configuration = ImageManager.Configuration()
        configuration.disk = .init(folder: folder.path)
        configuration.downloader.maximumConcurrentDownloads = 4
        configuration.downloader.maximumConcurrentDownloadsPerHost = 4
        configuration.transport.addressPolicy = .unrestricted  // the origins are on loopback
        return configuration
    }
}
