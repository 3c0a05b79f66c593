// SPDX-License-Identifier: MIT
public import HTTPTransport
import PlatformBasics
import TaskCoordination

/// Answers requests for `file:` URLs with the regular files below some folders.
///
/// Nothing outside of the folders is opened: `..` is refused, and symbolic links below a folder are not followed. Files
/// are opened and read on threads of the loader.
public struct FileLoader: HTTPLoading {
    private let roots: [FileRoot]
    private let limit: Int
    private let pool: WorkerPool

    /// Creates a loader.
    /// - Parameters:
    ///   - roots: Absolute paths of the folders whose files may be read. The paths themselves may contain links.
    ///   - maximumByteCount: The largest file to accept; default 64 MiB.
    public init(roots: [String], maximumByteCount: Int = 64 << 20) {
        self.roots = roots.compactMap(FileRoot.init)
        limit = max(0, maximumByteCount)
        pool = WorkerPool(name: "file-loader", width: 2, maximumQueueLength: 10_000)
    }

    /// The file with status 200, its length, a media type that its name suggests and an entity tag.
    ///
    /// The status is 404 when there is no such file, and 304 when `If-None-Match` names its entity tag. Only GET and
    /// HEAD are answered.
    ///
    /// - Throws: `HTTPError` with code `.fileNotAllowed`, `.bodyTooLarge`, `.invalidRequest`, `.transferFailed`,
    ///   `.shutDown`; `CancellationError`.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard request.method == "GET" || request.method == "HEAD" else {
            throw HTTPError(code: .invalidRequest, message: "Files are for GET and HEAD only.", url: request.url)
        }
        let (root, names) = try place(of: request.url)
        let answer = try await pool.runFileWork(at: request.url) {
            guard let file = try OpenFile(root, names, url: request.url) else {
                return HTTPResponse(status: 404, url: request.url)
            }
            return try response(to: request, from: file, name: names.last ?? "")
        }
        return try answer.checked(for: request)
    }

    /// `file`.
    public var schemes: [String] { ["file"] }

    /// `file`.
    public var localSchemes: [String] { ["file"] }

    /// Ends the threads once no file is read.
    public func shutdown() async {
        await pool.shutdown()
    }

    /// The root of a file, and the names below it.
    private func place(of url: URL) throws(HTTPError) -> (FileRoot, [String]) {
        let host = url.host(percentEncoded: false) ?? ""
        guard canLoad(HTTPRequest(url: url)), host.isEmpty || host.isEqualIgnoringCase(to: "localhost") else {
            throw HTTPError(code: .unsupportedURL, message: "Use a file: URL of this machine.", url: url)
        }
        let names = FileRoot.names(in: url.path(percentEncoded: false))
        guard let names, let root = roots.first(where: { names.starts(with: $0.names) && names != $0.names }) else {
            throw HTTPError(
                code: .fileNotAllowed,
                message: "The file is not below a folder of this loader; add its folder if it may be read.", url: url)
        }
        return (root, Array(names.dropFirst(root.names.count)))
    }

    /// Runs on a thread of the pool.
    private func response(
        to request: HTTPRequest, from file: OpenFile, name: String
    ) throws(HTTPError) -> HTTPResponse {
        let headers: HTTPHeaders = ["ETag": file.entityTag]
        if let tags = request.headers["If-None-Match"], tags == "*" || tags.contains(file.entityTag) {
            return HTTPResponse(status: 304, headers: headers, url: request.url)
        }
        return try HTTPResponse(
            request, byteCount: file.byteCount, type: Self.type(ofName: name), limit: limit, headers: headers
        ) { () throws(HTTPError) in
            guard file.byteCount > OpenFile.chunkSize else { return HTTPBody([try file.read(from: 0)]) }
            return HTTPBody(FileChunks(file: file, pool: pool), expectedByteCount: file.byteCount)
        }
    }

    private static let types = [
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp",
        "bmp": "image/bmp", "ico": "image/x-icon", "svg": "image/svg+xml", "avif": "image/avif", "heic": "image/heic",
        "tif": "image/tiff", "tiff": "image/tiff", "json": "application/json", "txt": "text/plain",
    ]

    private static func type(ofName name: String) -> String? {
        name.lastIndex(of: ".").flatMap { types[name[name.index(after: $0)...].lowercased()] }
    }
}

/// A folder whose files may be read.
struct FileRoot: Sendable {
    let path: String
    let names: [String]

    /// - Returns: `nil` unless the path is absolute.
    init?(_ path: String) {
        guard let names = Self.names(in: path) else { return nil }
        self.names = names
        self.path = path
    }

    /// The names in an absolute path; `nil` for a relative one, for `..` and for a zero byte.
    static func names(in path: String) -> [String]? {
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else { return nil }
        let names = path.split(separator: "/").map(String.init).filter { $0 != "." }
        return names.contains("..") ? nil : names
    }
}

extension OpenFile {
    /// Opens a file below a root, one folder at a time, so that no link leads out of it.
    /// - Returns: `nil` when there is no such file.
    /// - Throws: `.fileNotAllowed` for a link and for what is no regular file or may not be read; `.transferFailed`.
    convenience init?(_ root: FileRoot, _ names: [String], url: URL) throws(HTTPError) {
        let folder = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        var descriptor = unsafe open(root.path, folder)
        for (index, name) in names.enumerated() where descriptor >= 0 {
            let parent = descriptor
            // Not blocking: opening a pipe would wait for a writer.
            let file = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
            descriptor = unsafe openat(parent, name, (index == names.count - 1 ? file : folder) | O_NOFOLLOW)
            let reason = errno
            close(parent)
            errno = reason
        }
        // A folder that is a link is "not a directory" to the system.
        guard descriptor >= 0 else {
            let reason = errno
            guard reason != ENOENT else { return nil }
            throw Self.failure(reason, url)
        }
        try self.init(descriptor, url)
    }
}
