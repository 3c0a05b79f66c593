import Foundation
import WebImage
import WebImageTesting

/// The demonstration of `fetch` without a URL: generated pictures in every format, served from this machine.
enum Demo {
    static func run(_ options: Options, _ screen: Screen) async throws -> Int32 {
        let origin = try OriginServer.start()
        defer { origin.stop() }
        var options = options
        options.allowsPrivate = true  // the origin is on loopback
        let place = try temporaryFolder()
        options.folder = options.folder ?? place + "/pictures"
        options.cache = options.cache ?? place + "/cache"
        let jobs = try pictures.enumerated().map { seed, picture in
            let path = "/" + picture.name
            origin.respond(to: path, with: .ok(try picture.encoded(seed), type: picture.format.contentType))
            // The port differs from run to run; the pictures do not.
            return Job(text: origin.url(path).absoluteString, cacheKey: "demo" + path)
        }
        let status = try await Batch(options, jobs, screen).run()
        screen.explain(explanation(options))
        return status
    }

    private static func explanation(_ options: Options) -> [String] {
        let cache = options.usesCache ? "; the cache is \(options.cache ?? "")." : "."
        return [
            "", "\(pictures.count) pictures were generated, served from this machine, downloaded and decoded.",
            "They are in \(options.folder ?? "")\(cache)",
            "Run it again, and each line says disk. --resize 200x makes small copies from there.",
            "Then fetch pictures of your own: fetch URL …, and see fetch --help.",
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
        return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private struct Picture {
        let name: String
        let format: EncodedFormat
        var frames = 1

        func encoded(_ seed: Int) throws -> [UInt8] {
            if frames == 1 { return try ImageFactory.encoded(width: 640, height: 400, seed: seed, as: format) }
            return try ImageFactory.encodedAnimation(width: 320, height: 200, frames: frames, seed: seed, as: format)
        }
    }

    private static let pictures = [
        Picture(name: "photo.jpg", format: .jpeg()),
        Picture(name: "progressive.jpg", format: .jpeg(isProgressive: true)),
        Picture(name: "drawing.png", format: .png),
        Picture(name: "drawing.gif", format: .gif),
        Picture(name: "animation.gif", format: .gif, frames: 8),
        Picture(name: "picture.webp", format: .webp()),
        Picture(name: "lossless.webp", format: .losslessWebP),
        Picture(name: "animation.webp", format: .webp(), frames: 8),
    ]
}
