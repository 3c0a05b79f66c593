// SPDX-License-Identifier: MIT
import PlatformBasics
import WebImage

/// The file of `--contact-sheet`: every picture of a run in rows, in the order of the addresses.
///
/// **Isolation**: an actor, because pictures come in any order from several tasks.
actor SheetFile {
    private let folder: OutputFolder
    private let name: String
    private let format: ImageFormat
    private let places: [String: Int]
    private var pictures: [Int: DecodedImage] = [:]
    private let rowHeight: Int
    /// Makes a picture as large as it can get on the sheet.
    nonisolated let thumbnail: ResizeTransformer

    /// The most pictures of a sheet. The more there are, the smaller they are.
    private static let limit = 10_000

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
        guard jobs.count <= Self.limit else {
            throw UsageError(message: "--contact-sheet takes at most \(Self.limit) pictures, not \(jobs.count)")
        }
        do throws(SystemError) {
            folder = try OutputFolder(String(path[..<start]), overwrites: overwrites)
        } catch {
            throw UsageError(message: "cannot write \(path.printable): \(error.message)")
        }
        let crowd = max(1, Double(jobs.count) / 200)
        rowHeight = max(40, Int(200 / crowd.squareRoot()))
        thumbnail = .resize(to: PixelSize(width: rowHeight * 4, height: rowHeight * 3 / 2))
        places = Dictionary(zip(jobs.map(\.text), jobs.indices)) { first, _ in first }
    }

    func place(_ image: DecodedImage, of job: Job) {
        if let place = places[job.text] { pictures[place] = image }
    }

    /// Writes the sheet, and returns its path; `nil` without a picture.
    ///
    /// - Throws: ``Outcome/Failure``, ``ImageError``; `CancellationError`.
    func write() async throws -> String? {
        let images = pictures.sorted { $0.key < $1.key }.map(\.value)
        guard let highest = images.map(\.height).max() else { return nil }
        var sheet = try ContactSheet(of: images.map(\.size), rowHeight: min(rowHeight, highest))
        for (index, image) in images.enumerated() { try sheet.place(image, at: index) }
        let bytes = try ImageCoders.default.encode(sheet.image, as: EncodedFormat(format))
        return try await folder.write(bytes, as: name)
    }
}
