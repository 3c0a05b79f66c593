// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import WebImageBinding

/// Pictures in a terminal: the command.
///
/// The lesson: a reused cell never shows a wrong picture, and the main actor only displays.
@main
@MainActor
struct Main {
    static func main() async {
        if Version.isPrinted(for: "gallery") { return }
        let options: Options
        let script: Script?
        do {
            options = try Options(parsing: Array(CommandLine.arguments.dropFirst()))
            script = try options.script.map { try Script(read($0)) }
        } catch {
            complain((error as? UsageError)?.message ?? "\(error)")
            exit(2)
        }
        if options.wantsHelp {
            print(Options.usage)
            exit(0)
        }
        do {
            try await Descriptors.prepare(needing: 32)
            let run = try GalleryCommand(options)
            if let script { exit(try await run.play(script)) }
            exit(try await run.show())
        } catch let error as HTTPError {
            complain(error.message)
            exit(1)
        } catch {
            complain("\(error)")
            exit(1)
        }
    }

    private static func complain(_ message: String) {
        FileHandle.standardError.write(Data("gallery: \(message.printable)\nTry: gallery --help\n".utf8))
    }

    private static func read(_ path: String) throws -> String {
        let limit = 1_000_000
        let file = path == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(filePath: path))
        return String(decoding: try file.read(upToCount: limit) ?? Data(), as: UTF8.self)
    }
}
