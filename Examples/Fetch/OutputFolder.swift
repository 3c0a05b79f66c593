import Foundation
import WebImage

/// The folder that pictures are written to. A picture appears whole or not at all.
actor OutputFolder {
    private let folder: URL
    private let shown: String
    private var names = FileName()

    /// - Throws: `CocoaError` when the folder cannot be made.
    init(_ path: String) throws {
        folder = URL(filePath: path, directoryHint: .isDirectory)
        shown = path
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Writes the picture known as `key`, and answers its path as the user would type it.
    ///
    /// - Throws: `CocoaError`; `CancellationError`, with nothing written.
    func write(_ file: EncodedImage, key: String, url: URL) throws -> String {
        try Task.checkCancellation()
        let name = names.name(for: key, url: url, format: file.format)
        try Data(file.bytes).write(to: folder.appending(path: name), options: .atomic)
        return shown.hasSuffix("/") ? shown + name : shown + "/" + name
    }
}
