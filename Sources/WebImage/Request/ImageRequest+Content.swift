// SPDX-License-Identifier: MIT
import HTTPTransport
public import ImageCoding
import Locks
import PlatformBasics
import TaskCoordination

extension ImageRequest {
    /// Creates a request for the picture in a file whose bytes the program has: an upload, a row of a database.
    ///
    /// Its loads go the way of all others, with the same limits, and ask no origin. Loads of equal bytes that run at
    /// once share their work. ``url`` names the bytes by all of their SHA-256, for which a client cannot make two files,
    /// so no upload takes the place of another.
    ///
    /// No cache is asked and none is filled, because most uploads are used once; ``cacheReads`` and ``cacheWrites``
    /// change that for what is made of the bytes. The bytes themselves are in no cache, and their failures are not
    /// remembered. Of the policies only ``CachePolicy/reload`` and ``CachePolicy/onlyIfCached`` differ from
    /// ``CachePolicy/cacheFirst``.
    ///
    /// - Parameters:
    ///   - bytes: The whole file. An array is not copied.
    ///   - transformers: Applied to the decoded picture in order. None by default.
    ///   - priority: ``ImagePriority/normal`` by default.
    /// - Complexity: O(number of bytes): half a millisecond for a megabyte, four times that on a processor without
    ///   instructions for it.
    /// - Source: RFC 6920, section 7, for the URL.
    public init(
        bytes: some Collection<UInt8>, transformers: [any ImageTransforming] = [], priority: ImagePriority = .normal
    ) {
        let bytes = Array(bytes)
        // A scheme, a name and digits are a URL.
        let url = URL(string: "nih:sha-256;" + Digest.text(of: bytes))!
        self.init(url, transformers: transformers, priority: priority)
        (cacheReads, cacheWrites) = (.none, .none)
        hold(.bytes(bytes))
    }

    /// Creates a request for a picture that the program puts into the caches itself, under a key of its own.
    ///
    /// ```swift
    /// await manager.store(chart, for: ImageRequest(key: "chart"))
    /// let thumbnail = try await manager.image(for: ImageRequest(key: "chart", transformers: [small]))
    /// ```
    ///
    /// Its policy is ``CachePolicy/onlyIfCached``, and ``cacheKey`` the key.
    public init(key: String, transformers: [any ImageTransforming] = []) {
        // A scheme, a name and digits are a URL.
        self.init(URL(string: "key:sha-256;" + Digest.text(of: Array(key.utf8)))!, transformers: transformers)
        (cacheKey, cachePolicy) = (key, .onlyIfCached)
    }

    /// Creates a request for the picture in a file of this machine.
    ///
    /// The program answers for the path; no folder is forbidden. For paths that others choose there is `FileLoader`, a
    /// loader for the files below some folders. What ``init(bytes:transformers:priority:)`` says of limits, sharing and
    /// caches is true here as well.
    ///
    /// Each call finds the file anew and reads it on a thread that may block. Those that do not wait, such as
    /// ``ImageManager/peek(_:)``, look at the file in their turn. The path, and the number, the length and the time of
    /// change of the file, name its content: a changed file is another picture.
    ///
    /// A load throws ``ImageLoadError`` with status 404 when there is no such file, and with a cause when it is a
    /// symbolic link, no regular file or too large, or when it changes while it is loaded. Folders on the way may be
    /// links.
    ///
    /// - Parameters:
    ///   - path: Where the file is.
    ///   - transformers: Applied to the decoded picture in order. None by default.
    ///   - priority: ``ImagePriority/normal`` by default.
    public init(
        file path: String, transformers: [any ImageTransforming] = [], priority: ImagePriority = .normal
    ) {
        self.init(URL(filePath: path), transformers: transformers, priority: priority)
        (cacheReads, cacheWrites) = (.none, .none)
        hold(.file(ProgramFile(path, url)))
    }
}

extension ImageRequest {
    /// Creates a request for a picture that the program makes, such as a chart.
    ///
    /// ```swift
    /// let request = ImageRequest(id: "chart 7") { try await chart.rendered() }
    /// ```
    ///
    /// The closure runs when no cache that the request reads has the picture. Loads that run at once share its run. An
    /// error that it throws ends the load with code `.hookFailed`.
    ///
    /// Memory keeps the picture and what is made of it; with ``cacheReads`` and ``cacheWrites`` the disk keeps what is
    /// made of it, too. As ``OutputFormat/original`` it is a PNG.
    ///
    /// - Parameters:
    ///   - id: Names the picture: it must differ whenever the pixels may. It becomes part of ``url``.
    ///   - transformers: Applied to the picture in order. None by default.
    ///   - priority: ``ImagePriority/normal`` by default.
    ///   - picture: Makes the picture, in the task of the load.
    public init(
        id: String, transformers: [any ImageTransforming] = [], priority: ImagePriority = .normal,
        picture: @escaping @concurrent @Sendable () async throws -> DecodedImage
    ) {
        let plain = Set("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
        let name = id.percentEncoded { plain.contains($0) }
        // A scheme, a slash, letters, digits and escapes are a URL.
        self.init(URL(string: "picture:/" + name)!, transformers: transformers, priority: priority)
        (cacheReads, cacheWrites) = (.memory, .memory)
        hold(.picture(picture))
    }
}

extension ImageRequest {
    /// The request whose file has been found. Blocks. What is wrong with a file, the load will say.
    var found: ImageRequest {
        guard case .file(let file)? = content, file.tag == nil else { return self }
        var (copy, found) = (self, file.found)
        copy.hold(.file(found), tag: found.tag ?? "")
        return copy
    }

    /// The request without what only an origin can answer.
    var withoutOrigin: ImageRequest {
        var copy = self
        copy.cacheReads.original = []
        copy.cacheWrites.original = []
        if ![.reload, .onlyIfCached].contains(cachePolicy) { copy.cachePolicy = .cacheFirst }
        return copy
    }
}

/// A file that the program has, where other requests have an address to ask.
enum ProgramContent: Sendable {
    case bytes([UInt8])
    case file(ProgramFile)
    /// What makes a picture, which needs no file.
    case picture(@concurrent @Sendable () async throws -> DecodedImage)

    /// Whether there is a file, or only a picture.
    var hasFile: Bool { if case .picture = self { false } else { true } }

    /// The bytes. Those of a file are read on a thread.
    ///
    /// - Parameter limit: The most bytes that are accepted.
    func bytes(upTo limit: Int) async throws -> [UInt8] {
        switch self {
        case .bytes(let bytes) where bytes.count > limit:
            throw HTTPError.bodyTooLarge(limit: limit, announced: bytes.count)
        case .bytes(let bytes): return bytes
        case .picture: return []
        case .file(let file): return try await ProgramFile.threads.run { try file.bytes(upTo: limit) }
        }
    }
}

/// A file of this machine, as the program names it, or as one call has found it.
final class ProgramFile: Sendable {
    static let threads = WorkerPool(name: "own-file", width: 2, maximumQueueLength: 10_000)

    /// Tells the content from others that the file has had; `nil` unless a call has found the file.
    let tag: String?
    private let path: String
    private let url: URL
    /// Read once, however many pictures the call makes of it.
    private let content = Mutex<[UInt8]?>(nil)

    init(_ path: String, _ url: URL, tag: String? = nil) { (self.path, self.url, self.tag) = (path, url, tag) }

    /// The file as it is now. Blocks.
    var found: ProgramFile { ProgramFile(path, url, tag: try? opened().entityTag) }

    /// Reads the file, or waits for the thread that reads it. Blocks.
    ///
    /// It is opened again, so that loads that wait keep no descriptor.
    func bytes(upTo limit: Int) throws -> [UInt8] {
        try content.withLock { known in
            if let known { return known }
            let file = try opened()
            guard file.entityTag == tag else {
                throw HTTPError(
                    code: .transferFailed, message: "The file has changed while it was loaded.",
                    advice: "Load it again.", url: url)
            }
            if file.byteCount > limit { throw HTTPError.bodyTooLarge(limit: limit, announced: file.byteCount) }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(file.byteCount)
            while bytes.count < file.byteCount {
                try Task.checkCancellation()
                bytes += try file.read(from: bytes.count)
            }
            known = bytes
            return bytes
        }
    }

    private func opened() throws -> OpenFile {
        // A string of C would end at the zero byte, and name another file.
        let isName = !path.utf8.contains(0)
        // Not blocking: opening a pipe would wait for a writer.
        let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC
        let descriptor = isName ? unsafe open(path, flags) : -1
        let reason = isName ? errno : ENOENT
        if descriptor >= 0 { return try OpenFile(descriptor, url) }
        guard reason == ENOENT else { throw OpenFile.failure(reason, url) }
        throw ImageLoadError(
            code: .unacceptableStatus, message: "There is no such file.", advice: "Check the path.", url: url,
            status: 404)
    }
}

extension Pipeline {
    /// The request whose file a thread has found.
    ///
    /// **Cancellation**: returns at once, also when the file system does not answer.
    func found(_ request: ImageRequest) async throws -> ImageRequest {
        guard case .file? = request.content else { return request }
        let answer = OneShot<ImageRequest>()
        let found = await answer.wait(for: "look at file", on: executor, onCancel: request) {
            answer.resolve((try? await ProgramFile.threads.run { request.found }) ?? request)
        }
        try Task.checkCancellation()
        return found
    }
}
