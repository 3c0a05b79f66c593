import Foundation
import WebImageBinding

/// Puts the parts together: pictures, a manager, and a terminal or a script.
@MainActor
struct GalleryCommand {
    private let options: Options
    private let urls: [Item]

    /// - Throws: ``UsageError`` when an address is invalid.
    init(_ options: Options) throws(UsageError) {
        self.options = options
        var items: [Item] = []
        for text in options.urls {
            guard let url = URL(string: text), ["http", "https"].contains(url.scheme) else {
                throw UsageError(message: "not the address of a picture: \(text)")
            }
            items.append(Item(url: url, name: url.lastPathComponent))
        }
        urls = items
    }

    /// Shows the gallery in the terminal.
    func show() async throws -> Int32 {
        try await withPictures { items, manager, demo in
            let session = try Session(options.graphics)
            return await session.run(items, manager, checksPictures: demo != nil, demo.map { $0.setSlow })
        }
    }

    /// Plays a script and prints its result.
    func play(_ script: Script) async throws -> Int32 {
        try await withPictures { items, manager, demo in
            if options.isTimed { try await demo?.makeEverything() }
            let size = options.size ?? PixelSize(width: 100, height: 37)
            let surroundings = Gallery.Surroundings(
                size: TerminalSize(columns: size.width, rows: size.height, cell: PixelSize(width: 12, height: 24)),
                graphics: options.graphics ?? .blocks, setSlow: demo.map { $0.setSlow })
            let run = ScriptRun(
                script, items, manager, surroundings, checksPictures: demo != nil, isTimed: options.isTimed)
            try await run.play()
            if let png = options.png { try await Data(run.png()).write(to: URL(filePath: png)) }
            print(options.isTimed ? await run.timing() : await run.screen?.text ?? "")
            return await run.wrongCount == 0 ? 0 : 1
        }
    }

    private func withPictures(
        _ body: ([Item], ImageManager, DemoOrigin?) async throws -> Int32
    ) async throws -> Int32 {
        var configuration = ImageManager.Configuration()
        guard urls.isEmpty else {
            if options.allowsPrivate { configuration.transport.addressPolicy = .unrestricted }
            return try await withImageManager(configuration, shutdownWithin: .seconds(1)) {
                try await body(urls, $0, nil)
            }
        }
        let size = options.pictureSize ?? (options.isTimed ? PixelSize(width: 1_776, height: 1_184) : nil)
        let demo = try DemoOrigin(count: options.count, size: size ?? PixelSize(width: 480, height: 320))
        let folder = FileManager.default.temporaryDirectory.appending(path: "gallery-\(UUID().uuidString)")
        defer {
            demo.stop()
            try? FileManager.default.removeItem(at: folder)
        }
        configuration.disk = .init(folder: folder.path)
        configuration.transport.addressPolicy = .unrestricted  // the origin is on loopback
        return try await withImageManager(configuration, shutdownWithin: .seconds(1)) {
            try await body(demo.items, $0, demo)
        }
    }
}
