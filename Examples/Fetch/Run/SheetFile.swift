// SPDX-License-Identifier: MIT
import PlatformBasics
import WebImage

/// The file of `--contact-sheet`: every picture of a run in a grid, in the order of the addresses.
///
/// **Isolation**: an actor, because pictures come in any order from several tasks.
actor SheetFile {
    private let folder: OutputFolder
    private let name: String
    private let format: ImageFormat
    private let places: [String: Int]
    private var sheet: ContactSheet
    /// Makes the picture of a cell.
    nonisolated let thumbnail: ResizeTransformer

    /// - Throws: ``UsageError`` for a file that cannot be, `CancellationError`.
    init(_ path: String, _ jobs: [Job], overwrites: Bool) throws {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        name = String(path[start...])
        switch name.split(separator: ".").last?.lowercased() {
        case "png": format = .png
        case "jpg", "jpeg": format = .jpeg
        case "webp": format = .webp
        default:
            throw UsageError(
                message: "--contact-sheet takes a file that ends in png, jpg or webp, not \(path.printable)")
        }
        do {
            folder = try OutputFolder(String(path[..<start]), overwrites: overwrites)
            sheet = try ContactSheet(count: jobs.count)
        } catch let error as SystemError {
            throw UsageError(message: "cannot write \(path.printable): \(error.message)")
        } catch let error as ImageError {
            throw UsageError(message: "--contact-sheet: \(error.message)")
        }
        thumbnail = sheet.thumbnail
        places = Dictionary(zip(jobs.map(\.text), jobs.indices)) { first, _ in first }
    }

    func place(_ image: DecodedImage, of job: Job) throws {
        if let place = places[job.text] { try sheet.place(image, at: place) }
    }

    /// Writes the sheet, and returns its path.
    ///
    /// - Throws: ``Outcome/Failure``; `CancellationError`.
    func write() async throws -> String {
        let bytes = try ImageCoders.default.encode(sheet.image, as: EncodedFormat(format))
        return try await folder.write(bytes, as: name)
    }
}
