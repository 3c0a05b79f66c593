// SPDX-License-Identifier: MIT
import Foundation
import ImageCoding
import Scenes

/// One picture of all pictures in a folder: decoding, resizing, composing and encoding without network and cache.
@main
enum ContactSheetCommand {
    static func main() async {
        if Version.isPrinted(for: "contact-sheet") { return }
        if CommandLine.arguments.dropFirst().elementsEqual(["--help"]) { return print(Options.usage) }
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            let files = try options.folder.map(files(in:)) ?? samples()
            let sheet = try await sheet(of: files, options)
            let image = try options.page.map { try centred(sheet.image, on: $0) } ?? sheet.image
            let format = EncodedFormat(options.format, options: EncodeOptions(quality: 90))
            let bytes = try ImageCoders.default.encode(image, as: format)
            try save(bytes, as: options.output)
            print("\(options.output): \(image.size), \(sheet.frames.count) pictures")
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
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw Failure(description: "The folder \(folder.debugDescription) cannot be read.")
        }
        let files = names.sorted().filter { !$0.hasPrefix(".") }.compactMap { name -> Picture? in
            // Reading a pipe would wait for its writer.
            let file = URL(filePath: folder).appending(path: name).resolvingSymlinksInPath()
            guard (try? file.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true else { return nil }
            return Picture(name: name) { try [UInt8](Data(contentsOf: file)) }
        }
        guard !files.isEmpty else { throw Failure(description: "There is no file in \(folder.debugDescription).") }
        return files
    }

    /// Twelve generated pictures.
    static func samples() -> [Picture] {
        let shapes = [(600, 400), (400, 300), (300, 400), (640, 360), (400, 400)]
        return (1...12).map { seed in
            Picture(name: "scene-\(seed).png") {
                let (width, height) = shapes[seed % shapes.count]
                return try SceneFactory.encoded(width: width, height: height, seed: seed)
            }
        }
    }

    /// Decodes as many files at once as there are cores, each at the size of its place. A file without a picture is
    /// named and left out.
    static func sheet(of files: [Picture], _ options: Options) async throws -> ContactSheet {
        var (sizes, pictures): ([PixelSize], [Picture]) = ([], [])
        for file in files {
            do {
                let size = try ImageCoders.default.properties(of: file.read()).size
                let most = ImageLimits.default.maximumSide
                guard max(size.width, size.height) <= most else {
                    throw Failure(description: "\(size) pixels: a side may have \(most) at most.")
                }
                sizes.append(size)
                pictures.append(file)
            } catch { complain(file, error) }
        }
        guard !pictures.isEmpty else { throw Failure(description: "There is no picture to show.") }
        var sheet = try layout(sizes, options)
        try await withThrowingTaskGroup(of: (Int, Result<DecodedImage, any Error>).self) { group in
            var waiting = pictures.indices.makeIterator()
            func startNext() {
                guard let index = waiting.next() else { return }
                let decoding = DecodeOptions(firstFrameOnly: true, thumbnail: sheet.thumbnail(at: index))
                // This program does nothing else, so its work may block the threads of the global pool.
                group.addTask { [picture = pictures[index]] in
                    (index, Result { try ImageCoders.default.decode(picture.read(), options: decoding) })
                }
            }
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { startNext() }
            while let (index, result) = try await group.next() {
                switch result {
                case .success(let image): try sheet.place(image, at: index)
                case .failure(let error): complain(pictures[index], error)
                }
                startNext()
            }
        }
        for (frame, picture) in zip(sheet.frames, pictures) where options.hasCaptions {
            let caption = try Caption.picture(picture.name, width: frame.width)
            try sheet.canvas.draw(caption, x: frame.x, y: frame.y + frame.height)
        }
        return sheet
    }

    /// An empty sheet; for a page, with the highest rows that are all on it.
    private static func layout(_ sizes: [PixelSize], _ options: Options) throws -> ContactSheet {
        // Nothing is enlarged, so rows are no higher than the highest picture.
        var rowHeight = min(options.page?.height ?? options.rowHeight, sizes.map(\.height).max() ?? 1)
        while true {
            let sheet = try ContactSheet(
                of: sizes, width: options.page?.width ?? options.width, rowHeight: rowHeight,
                caption: options.hasCaptions ? Caption.height : 0)
            if rowHeight < 10 || sheet.canvas.size.height <= options.page?.height ?? .max { return sheet }
            rowHeight = rowHeight * 31 / 32
        }
    }

    /// The sheet in the middle of a page.
    private static func centred(_ sheet: DecodedImage, on page: PixelSize) throws -> DecodedImage {
        var canvas = try PremultipliedCanvas(page, color: .white)
        try canvas.draw(sheet, x: 0, y: max(0, page.height - sheet.height) / 2)
        return canvas.image
    }

    private static func save(_ bytes: [UInt8], as path: String) throws {
        do { try Data(bytes).write(to: URL(filePath: path)) } catch {
            throw Failure(description: "The file \(path.debugDescription) cannot be written.")
        }
    }

    private static func complain(_ picture: Picture, _ error: any Error) {
        FileHandle.standardError.write(Data("contact-sheet: \(picture.name.debugDescription): \(error)\n".utf8))
    }
}

/// What is wrong, for the user.
struct Failure: Error, CustomStringConvertible {
    let description: String
}
