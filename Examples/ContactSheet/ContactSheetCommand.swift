// SPDX-License-Identifier: MIT
import Foundation
import ImageCoding
import Scenes

/// One picture of all pictures in a folder: decoding, resizing, composing and encoding without network and cache.
@main
enum ContactSheetCommand {
    static func main() async {
        if Version.isPrinted(for: "contact-sheet") { return }
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            let files = try options.folder.map(files(in:)) ?? samples()
            let sheet = try await sheet(of: files, options)
            let format = EncodedFormat(options.format, options: EncodeOptions(quality: 85))
            let bytes = try ImageCoders.default.encode(sheet.image, as: format)
            try Data(bytes).write(to: URL(filePath: options.output))
            print("\(options.output): \(sheet.image.size), \(sheet.columns) columns")
        } catch {
            FileHandle.standardError.write(Data("contact-sheet: \(error)\n".utf8))
            exit(1)
        }
    }

    /// A file, or what reading it has thrown.
    struct Picture: Sendable {
        let name: String
        let read: @Sendable () throws -> [UInt8]
    }

    /// The files of a folder, by name.
    static func files(in folder: String) throws -> [Picture] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        let files = names.filter { !$0.hasPrefix(".") }.map { name in
            Picture(name: name) { try [UInt8](Data(contentsOf: URL(filePath: folder).appending(path: name))) }
        }
        guard !files.isEmpty else { throw Failure(description: "\(folder) is empty.") }
        return files
    }

    /// Twelve generated pictures.
    static func samples() -> [Picture] {
        (1...12).map { seed in
            Picture(name: "sample-\(seed)") {
                let (width, height) = seed % 3 == 0 ? (300, 400) : (400, 300)
                return try SceneFactory.encoded(width: width, height: height, seed: seed)
            }
        }
    }

    /// Decodes as many files at once as there are cores, each at the size of its cell. A file without a picture leaves
    /// its cell empty, and is named.
    static func sheet(of files: [Picture], _ options: Options) async throws -> ContactSheet {
        var sheet = try ContactSheet(count: files.count, cell: options.cell, columns: options.columns)
        let decoding = DecodeOptions(firstFrameOnly: true, thumbnail: sheet.thumbnail)
        try await withThrowingTaskGroup(of: (Int, Result<DecodedImage, any Error>).self) { group in
            var waiting = files.indices.makeIterator()
            func startNext() {
                guard let index = waiting.next() else { return }
                // This program does nothing else, so its work may block the threads of the global pool.
                group.addTask {
                    (index, Result { try ImageCoders.default.decode(files[index].read(), options: decoding) })
                }
            }
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { startNext() }
            while let (index, result) = try await group.next() {
                switch result {
                case .success(let image): try sheet.place(image, at: index)
                case .failure(let error):
                    FileHandle.standardError.write(Data("contact-sheet: \(files[index].name): \(error)\n".utf8))
                }
                startNext()
            }
        }
        return sheet
    }
}

/// What is wrong, for the user.
struct Failure: Error, CustomStringConvertible {
    let description: String
}
