// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Pictures in files of this machine that the program names.
@Suite(.balanced, .timeLimit(.minutes(1))) struct OwnFileTests {
    private let folder: TemporaryFolder
    private let manager: ImageManager
    private let coder = CountingCoder()
    private let transport = StubTransport { try .picture(for: $0) }

    init() throws {
        folder = try TemporaryFolder()
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        configuration.downloader.maximumByteCount = 100_000
        configuration.coders = coder.registry
        manager = ImageManager(configuration: configuration, transport: transport)
    }

    private func path(_ name: String) -> String { folder.path + "/" + name }

    /// Puts a file at a path, in place of another one.
    private func write(_ bytes: [UInt8], to name: String = "a.png") throws {
        try Data(bytes).write(to: URL(filePath: path(name)), options: .atomic)
    }

    private func code(_ request: ImageRequest) async -> (Int?, String?) {
        do {
            _ = try await manager.load(request)
            return (nil, nil)
        } catch {
            let error = error as? ImageLoadError
            return (error?.suggestedHTTPStatus, error?.reason)
        }
    }

    @Test func `a changed file is another picture, and the former one is still there when its file comes back`()
        async throws
    {
        var request = ImageRequest(file: path("a.png"))
        (request.cacheReads, request.cacheWrites) = (.all, .all)
        let files = try (1...2).map { try Pictures.png($0) }
        let length = files.map(\.count).max() ?? 0
        var sources: [ImageSource] = []
        for number in [1, 2, 1] {
            let bytes = files[number - 1] + [UInt8](repeating: 0, count: length - files[number - 1].count)
            if sources.count < 2 {
                if number == 2 { try FileManager.default.linkItem(atPath: path("a.png"), toPath: path("old.png")) }
                try write(bytes)
            } else {
                expectEqual(unsafe rename(path("old.png"), path("a.png")), 0)
            }
            let response = try await manager.load(request)
            expectEqual(ImageFactory.seed(of: response.image), number)
            expectEqual(manager.peek(request).flatMap { ImageFactory.seed(of: $0) }, number)
            sources.append(response.source)
        }
        expectEqual(sources, [.program, .program, .memory])
        expectEqual(coder.decodes, 2)
        let tiers = try await manager.contains(request)
        expectEqual(tiers, .memory)
        try await manager.remove(request)
        expectNil(manager.peek(request))
        expectEmpty(transport.requests)
    }

    @Test func `nothing is kept unless it is asked for`() async throws {
        try write(Pictures.png(7))
        for _ in 0..<2 {
            let file = try await manager.encodedImage(for: ImageRequest(file: path("a.png")), as: .webp(8))
            expectAll(file.width == 8, file.source == .program)
        }
        expectAll(manager.memoryStatistics.count == 0, coder.decodes == 2)
    }

    @Test func `a file that changes between the look at it and its reading is not taken for the former one`()
        async throws
    {
        try write(Pictures.png(1))
        let found = ImageRequest(file: path("a.png")).found
        try write(Pictures.png(2))
        let (status, reason) = await code(found)
        expectEqual(status, 502)
        expectEqual(reason, "transferFailed")

        // One that was not there has no name either.
        let named = ProgramContent.file(ProgramFile(path("a.png"), URL(filePath: path("a.png"))))
        let error = await expectError(HTTPError.self) { try await named.bytes(upTo: .max) }
        expectEqual(error?.code, .transferFailed)
    }

    @Test func `another attempt finds the file anew, unless the content was chosen before`() async throws {
        let (place, picture) = (URL(filePath: path("a.png")), try Pictures.png(1))
        for isFound in [false, true] {
            try write(Array("no picture".utf8))
            var request = ImageRequest(file: path("a.png"))
            if isFound { request = request.found }
            request.retry = LoadRetry { failure in
                try Data(picture).write(to: place, options: .atomic)
                return failure.attemptCount < 3 ? .zero : nil
            }
            let image = try? await manager.image(for: request)
            expectEqual(image.flatMap { ImageFactory.seed(of: $0) }, isFound ? nil : 1)
        }
    }

    @Test func `a shutdown in the pause before another attempt asks for the file no more`() async throws {
        try write(Array("no picture".utf8))
        let (asked, (pauses, pause)) = (Journal<Int>(), AsyncStream.makeStream(of: Void.self))
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        configuration.hooks.requestProcessor = { request in
            asked.write(0)
            return request
        }
        let manager = ImageManager(configuration: configuration, transport: transport)
        var request = ImageRequest(file: path("a.png"))
        request.retry = LoadRetry { _ in
            pause.yield()
            return .seconds(3_600)
        }
        async let outcome = expectError(ImageLoadError.self) { [request] in try await manager.image(for: request) }
        for await _ in pauses { break }
        let before = asked.count
        let report = await manager.shutdown(within: .seconds(10))
        let error = await outcome
        expectAll(report.isClean, error?.code == .shutDown, asked.count == before)
    }

    @Test func `what is no regular file, is a link, is missing or too large is refused without a wait`() async throws {
        try write(Pictures.png(1))
        try FileManager.default.createSymbolicLink(atPath: path("link.png"), withDestinationPath: path("a.png"))
        try FileManager.default.createDirectory(atPath: path("folder"), withIntermediateDirectories: true)
        expectEqual(unsafe mkfifo(path("pipe"), 0o600), 0)
        try write([], to: "large.png")
        expectEqual(unsafe truncate(path("large.png"), 1 << 40), 0)
        try write([], to: "empty.png")
        let cases: [(String, Int, String)] = [
            (path("link.png"), 403, "fileNotAllowed"), (path("folder"), 403, "fileNotAllowed"),
            (path("pipe"), 403, "fileNotAllowed"), ("/dev/zero", 403, "fileNotAllowed"),
            (path("large.png"), 413, "bodyTooLarge"), (path("missing.png"), 404, "unacceptableStatus"),
            (path("a.png\0.jpg"), 404, "unacceptableStatus"), ("", 404, "unacceptableStatus"),
            (path("a.png/b.png"), 403, "fileNotAllowed"), (path("empty.png"), 415, "unknownFormat"),
        ]
        for (path, status, reason) in cases {
            for _ in 0..<2 {
                let found = await code(ImageRequest(file: path))
                expectEqual(found.0, status, "\(path)")
                expectEqual(found.1, reason, "\(path)")
            }
            expectNil(manager.peek(ImageRequest(file: path)))
        }
        expectEqual(coder.decodes, 0)

        // Folders on the way may be links.
        try FileManager.default.createSymbolicLink(atPath: path("way"), withDestinationPath: folder.path)
        let image = try await manager.image(for: ImageRequest(file: path("way/a.png")))
        expectEqual(ImageFactory.seed(of: image), 1)
    }

    @Test func `several files of one content are made of one reading, whatever becomes of the path`() async throws {
        try write(Pictures.png(1, side: 64))
        let sizes = try await manager.encodedImages(
            for: ImageRequest(file: path("a.png")), as: [.webp(8), .png, .jpeg(32)])
        expectEqual(sizes.map(\.width), [8, 64, 32])

        let found = ImageRequest(file: path("a.png")).found
        guard case .file(let file)? = found.content else { throw CancellationError() }
        let first = try file.bytes(upTo: .max)
        try FileManager.default.removeItem(atPath: path("a.png"))
        try expectEqual(file.bytes(upTo: .max), first)
        expectEmpty(folder.openDescriptors)
    }

    @Test func `a caller whose file system does not answer leaves at once`() async throws {
        let end = DispatchSemaphore(value: 0)
        let begun = (0..<2).map { _ in OneShot<Void>() }
        let stuck = begun.map { begun in
            Probe { try await ProgramFile.threads.run { _ = (begun.resolve(()), end.wait()) } }
        }
        for begun in begun { await begun.wait() }
        let (manager, path) = (manager, path("a.png"))
        let caller = Task { try await manager.image(for: ImageRequest(file: path)) }
        caller.cancel()
        await expectError(CancellationError.self) { try await caller.value }
        for _ in stuck { end.signal() }
    }
}
