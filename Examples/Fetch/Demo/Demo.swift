// SPDX-License-Identifier: MIT
import PlatformBasics
import WebImage

/// The demonstration of `fetch` without a URL: generated pictures in every format, served from this machine.
enum Demo {
    static func run(_ options: Options) async throws -> Int32 {
        let origin = try startOrigin(on: 0)
        defer { origin.stop() }
        var options = options
        options.showsPictures = !options.writesJSON && !options.isQuiet
        let screen = Screen(options)
        options.allowsPrivate = true  // the origin is on loopback
        let place = try temporaryFolder()
        options.folder = options.folder ?? place + "/pictures"
        options.cache = options.cache ?? place + "/cache"
        // The port differs from run to run; the pictures do not.
        let jobs = pictures.map { Job(text: $0.address(at: origin), cacheKey: "demo/\($0.seed)" + $0.path) }
        let status = try await Batch(options, jobs, screen).run()
        screen.explain(explanation(options))
        return status
    }

    /// Serves the pictures to other programs of this machine until the calling task is cancelled.
    static func serve(on port: UInt16) async throws -> Int32 {
        let origin: PictureServer
        do {
            origin = try startOrigin(on: port)
        } catch let error as SystemError where error.number == EADDRINUSE {
            throw UsageError(message: "--serve: port \(port) is taken; 0 takes a free one")
        }
        defer { origin.stop() }
        for picture in pictures { StandardStream.output.writeLine(picture.address(at: origin)) }
        StandardStream.error.writeLine("Ctrl-C ends the server. Clients have to allow loopback addresses.")
        let (never, end) = AsyncStream.makeStream(of: Void.self)
        for await _ in never {}
        end.finish()
        return 0
    }

    /// An origin on loopback that makes each picture when it is asked for.
    private static func startOrigin(on port: UInt16) throws -> PictureServer {
        try PictureServer(port: port) { path in
            guard let picture = pictures.first(where: { $0.path == path }) else { return nil }
            return try? (picture.format.contentType, picture.encoded())
        }
    }

    private static func explanation(_ options: Options) -> [String] {
        let cache = options.usesCache ? "; the cache is \(options.cache ?? "")." : "."
        return [
            "", "They were generated, served from this machine, downloaded and decoded.",
            "They are in \(options.folder ?? "")\(cache)",
            (options.usesCache ? "Run it again, and they come from disk; " : "") + "--resize 200x makes small copies.",
            "Then take pictures of your own: fetch URL …, fetch --show FILE …, fetch --help.",
        ]
    }

    /// A folder for this user, the same in every run, so that the second run finds the pictures of the first.
    ///
    /// Another user could have made one with this name; then the folder is a new one.
    private static func temporaryFolder() throws -> String {
        let path = FileManager.default.temporaryDirectory.path + "/fetch-demo-\(getuid())"
        _ = unsafe mkdir(path, 0o700)
        var status = stat()
        if unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid(),
            status.st_mode & 0o022 == 0
        {
            return path
        }
        var name = Array((path + "-XXXXXX").utf8CString)
        guard unsafe mkdtemp(&name) != nil else {
            throw UsageError(message: "cannot make a temporary folder: \(SystemError.last.message)")
        }
        return String(decoding: name.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }

    private struct Picture {
        let name: String
        let format: EncodedFormat
        let seed: Int
        var frames = 1

        var path: String { "/" + name }

        func address(at origin: PictureServer) -> String { "http://127.0.0.1:\(origin.port)\(path)" }

        func encoded() throws -> [UInt8] {
            let size = frames == 1 ? PixelSize(width: 640, height: 400) : PixelSize(width: 320, height: 200)
            return try ImageCoders.default.encode(Hills.picture(size, frames: frames, seed: seed), as: format)
        }
    }

    private static let pictures = [
        Picture(name: "photo.jpg", format: .jpeg(), seed: 0),
        Picture(name: "progressive.jpg", format: .jpeg(isProgressive: true), seed: 18),
        Picture(name: "drawing.png", format: .png, seed: 7),
        Picture(name: "drawing.gif", format: .gif, seed: 32),
        Picture(name: "animation.gif", format: .gif, seed: 10, frames: 8),
        Picture(name: "picture.webp", format: .webp(), seed: 2),
        Picture(name: "lossless.webp", format: .losslessWebP, seed: 1),
        Picture(name: "animation.webp", format: .webp(), seed: 6, frames: 8),
    ]
}
