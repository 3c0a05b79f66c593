// SPDX-License-Identifier: MIT
import PlatformBasics
import WebImage

/// Where the pictures of one run go.
enum Destination {
    case folder(OutputFolder, FileName)
    /// One file, by its name in a folder.
    case file(OutputFolder, String)
    case standardOutput
    /// No file is written.
    case none

    /// - Throws: ``UsageError`` when something that is no folder is in the way.
    init(_ options: Options) throws(UsageError) {
        let folder: String
        switch options.file {
        case "-":
            self = .standardOutput
            return
        case let file?: folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
        case nil where !options.writesFiles:
            self = .none
            return
        case nil: folder = options.folder ?? "pictures"
        }
        let output: OutputFolder
        do throws(SystemError) {
            output = try OutputFolder(folder, overwrites: options.overwrites)
        } catch {
            throw UsageError(message: "cannot write to \(folder.printable): \(error.message)")
        }
        if let file = options.file {
            self = .file(output, String(file.dropFirst(folder.count)))
        } else {
            self = .folder(output, FileName(options))
        }
    }

    /// - Returns: The path of the file; `-` for standard output.
    func write(_ file: EncodedImage, key: String, url: URL) async throws -> String {
        switch self {
        case .folder(let folder, let name):
            try await folder.write(
                file.bytes,
                as: name.name(for: key, url: url, format: file.format, width: file.width, height: file.height))
        case .file(let folder, let name): try await folder.write(file.bytes, as: name)
        case .standardOutput: try Self.print(file.bytes)
        case .none: ""
        }
    }

    private static func print(_ bytes: [UInt8]) throws -> String {
        do throws(SystemError) {
            try StandardStream.output.write(bytes)
        } catch {
            throw Outcome.Failure(code: "cannotWrite", message: "Cannot write to standard output: \(error.message).")
        }
        return "-"
    }
}
