// SPDX-License-Identifier: MIT
import Foundation
import WebImageBinding

/// Puts the parts together: pictures, a manager, and a terminal or a script.
@MainActor
struct GalleryCommand {
    private let options: Options
    private let urls: [Item]

    /// - Throws: ``UsageError`` when an address is invalid.
    init(_ options: Options) throws(UsageError) {
        self.options = options
        var items: [Item] = []
        for text in options.urls {
            guard let url = URL(string: text), ["http", "https"].contains(url.scheme) else {
                throw UsageError(message: "not the address of a picture: \(text)")
            }
            items.append(Item(url: url, name: url.lastPathComponent))
        }
        urls = items
    }

    /// Shows the gallery in the terminal.
    func show() async throws -> Int32 {
        try await Stage.with(options, urls) { stage in
            let session = try Session(options.graphics)
            return await session.run(stage)
        }
    }

    /// Plays a script and prints its result.
    func play(_ script: Script) async throws -> Int32 {
        try await Stage.with(options, urls) { stage in
            if options.isTimed, let origin = stage.origin {
                Self.tell("making \(options.count) pictures")
                try await origin.makeEverything { Self.tell("\($0) of \(options.count) pictures made") }
            }
            let size = options.size ?? PixelSize(width: 100, height: 37)
            let cell = options.gif == nil ? PixelSize(width: 12, height: 24) : PixelSize(width: 8, height: 16)
            let surroundings = Gallery.Surroundings(
                size: TerminalSize(columns: size.width, rows: size.height, cell: cell),
                graphics: options.graphics ?? .quadrants, origin: stage.origin, flights: stage.flights,
                previewInterval: options.isRecorded ? .zero : .milliseconds(200))
            let run = ScriptRun(
                script, stage, surroundings, isTimed: options.isTimed, isRecorded: options.isRecorded)
            try await run.play { done, all in
                if options.isTimed { Self.tell("\(done) of \(all) steps of the script played") }
            }
            if let png = options.png { try await Data(run.png()).write(to: URL(filePath: png)) }
            if let gif = options.gif { try await Data(run.gif()).write(to: URL(filePath: gif)) }
            if let cast = options.cast { try run.recording().write(to: URL(filePath: cast)) }
            print(options.isTimed ? await run.timing() : await run.screen?.text ?? "")
            return await run.wrongCount == 0 ? 0 : 1
        }
    }

    /// Tells the user what takes so long.
    nonisolated private static func tell(_ text: String) {
        FileHandle.standardError.write(Data("gallery: \(text)\n".utf8))
    }
}
