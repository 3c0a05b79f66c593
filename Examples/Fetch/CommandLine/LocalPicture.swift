// SPDX-License-Identifier: MIT
import PlatformBasics
import WebImage

/// A picture on this machine. Nothing of it is kept in the cache.
enum LocalPicture: Sendable {
    /// The path, as the user would type it.
    case file(String)
    /// What came on standard input.
    case input([UInt8])

    /// The word for standard input.
    static let inputWord = "-"
    static let inputURL = URL(string: "stdin:/stdin")!

    /// The address by which a loader finds it, with all links of its path resolved.
    ///
    /// - Throws: ``Outcome/Failure`` for a path that leads nowhere.
    func address() throws(Outcome.Failure) -> URL {
        guard case .file(let path) = self else { return Self.inputURL }
        // What comes after a zero would not be looked at.
        guard !path.utf8.contains(0), let real = unsafe realpath(path, nil) else {
            let reason = path.utf8.contains(0) ? "no path has a zero byte" : SystemError.last.message
            throw Outcome.Failure(code: "cannotRead", message: "Cannot read this file: \(reason).")
        }
        defer { unsafe free(real) }
        guard let text = unsafe String(validatingCString: real) else {
            throw Outcome.Failure(code: "cannotRead", message: "The path is not UTF-8; rename the file.")
        }
        return URL(filePath: text, directoryHint: .notDirectory)
    }

    /// What its file is named after.
    var name: URL {
        guard case .file(let path) = self else { return Self.inputURL }
        return URL(filePath: path, directoryHint: .notDirectory)
    }

    /// What tells it from other pictures: the path, or the content.
    func key(_ address: URL) -> String {
        guard case .input(let bytes) = self else { return address.path }
        return SHA256.digest(of: bytes).map { String($0, radix: 16) }.joined()
    }
}

extension LocalPicture {
    /// The path that a word names: that of a `file:` URL, one that begins like a path, and the name of what is there;
    /// `nil` for all else.
    static func path(in word: String) -> String? {
        if word.prefix(5).lowercased() == "file:" {
            guard let url = URL(string: word), ["", "localhost"].contains(url.host ?? "") else { return nil }
            let path = url.path(percentEncoded: false)
            return path.isEmpty ? nil : path
        }
        if ["/", "./", "../"].contains(where: { word.hasPrefix($0) }) { return word }
        guard !word.contains("://"), !word.utf8.contains(0) else { return nil }
        return unsafe access(word, F_OK) == 0 ? word : nil
    }

    /// The word itself, or the pictures of the folder that it names: files that are named like pictures, by name,
    /// without hidden ones and without those of folders in the folder.
    ///
    /// - Throws: ``UsageError`` for a folder that cannot be read, or that has no picture.
    static func expanded(_ word: String) throws(UsageError) -> [String] {
        guard word != inputWord, let path = path(in: word), status(path)?.st_mode.isFolder == true else {
            return [word]
        }
        guard unsafe access(path, R_OK | X_OK) == 0,
            let names = try? FileManager.default.contentsOfDirectory(atPath: path)
        else {
            throw UsageError(message: "cannot read the folder \(word.printable): \(SystemError.last.message)")
        }
        let folder = path.hasSuffix("/") ? path : path + "/"
        let files = names.filter { !$0.hasPrefix(".") && isNamedLikePicture($0) }.sorted().map { folder + $0 }
            .filter { status($0)?.st_mode.isFolder != true }
        guard !files.isEmpty else {
            throw UsageError(message: "no file in \(word.printable) is named like a picture: name.jpg, name.png, …")
        }
        return files
    }

    private static func isNamedLikePicture(_ name: String) -> Bool {
        name.lastIndex(of: ".").flatMap { ImageFormat(fileExtension: String(name[name.index(after: $0)...])) } != nil
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        guard !path.utf8.contains(0), unsafe stat(path, &status) == 0 else { return nil }
        return status
    }
}

extension mode_t {
    fileprivate var isFolder: Bool { self & S_IFMT == S_IFDIR }
}
