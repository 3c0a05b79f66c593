// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageBinding

@testable import gallery

@Suite(.timeLimit(.minutes(10)), .enabled(if: PseudoTerminal.program != nil))
struct PseudoTerminalTests {
    private let arguments = ["--count", "40", "--picture-size", "96x64", "--graphics", "blocks"]

    @Test func `start, scroll, zoom, resize, suspend and quit restore the terminal`() throws {
        let program = try PseudoTerminal(arguments, columns: 80, rows: 24)
        let found = program.modes
        let grid = Grid(itemCount: 40, screenColumns: 80, screenRows: 24)
        try program.wait { $0.screen.seeds(grid, top: 0) == [0, 1, 2, 3, 4, 5] }
        expect(program.terminal.modes.isSuperset(of: [1_000, 1_006, 1_049]))
        expect(!program.terminal.modes.contains(25))
        expect(program.modes != found)

        program.type("\u{1B}[6~")
        try program.wait { $0.screen.seeds(grid, top: 1) == [3, 4, 5, 6, 7, 8] }
        expect(program.terminal.screen.text.contains(" 7 of 40 "))

        program.type("\r")
        try program.wait { $0.screen.seed(grid.whole) == 6 }
        program.resize(columns: 60, rows: 20)
        let smaller = Grid(itemCount: 40, screenColumns: 60, screenRows: 20)
        try program.wait { $0.screen.seed(smaller.whole) == 6 }
        // An escape that nothing follows is the key.
        program.type("\u{1B}")
        try program.wait { $0.screen.seeds(smaller, top: 2) == [4, 5, 6, 7] }

        // No shell could continue it, so the system does not stop it: it gives the terminal back and takes it again.
        program.type("\u{1A}")
        try program.wait { $0.departures == 1 && $0.screen.seeds(smaller, top: 2) == [4, 5, 6, 7] }
        // So it does at the signal, also after an earlier one.
        program.signal(SIGTSTP)
        try program.wait { $0.departures == 2 && $0.screen.seeds(smaller, top: 2) == [4, 5, 6, 7] }
        // A screen that another program may have written to is drawn anew.
        program.signal(SIGCONT)
        try program.wait { $0.arrivals == 4 && $0.screen.seeds(smaller, top: 2) == [4, 5, 6, 7] }
        program.type("\u{C}")
        try program.wait { $0.arrivals == 5 && $0.screen.seeds(smaller, top: 2) == [4, 5, 6, 7] }

        program.type("q")
        try expectEqual(program.end(), 0)
        expectEqual(program.modes, found)
        expectEqual(program.terminal.modes, [25])
    }

    @Test func `Ctrl-C ends the gallery in order`() throws {
        // A small window, because the pictures of kitty's graphics are sent as they are.
        let program = try PseudoTerminal(arguments.dropLast() + ["kitty"], columns: 12, rows: 6)
        let found = program.modes
        // What is typed before the gallery reads is not lost.
        program.type("l")
        try program.wait { $0.screen.text.contains("2 of 40") && $0.hasPictures }
        while try program.filesLeft.isEmpty { try Task.checkCancellation() }
        program.type("\u{3}")
        try expectEqual(program.end(), 0)
        try expectEqual(program.filesLeft, [])
        expectEqual(program.modes, found)
        expectAll(program.terminal.modes == [25], !program.terminal.hasPictures)
    }

    @Test func `the gallery ends with its terminal`() throws {
        let program = try PseudoTerminal(arguments, columns: 80, rows: 24)
        try program.wait { $0.screen.text.contains("1 of 40") }
        program.hangUp()
        try expectEqual(program.end(), 129)

        // A signal ends it in order, too.
        let other = try PseudoTerminal(arguments, columns: 80, rows: 24)
        let found = other.modes
        try other.wait { $0.screen.text.contains("1 of 40") }
        other.signal(SIGTERM)
        try expectEqual(other.end(), 143)
        expectEqual(other.modes, found)
        expectEqual(other.terminal.modes, [25])
    }

    @MainActor @Test func `the size of a window is what its terminal says, within limits, and cells are as it says`()
        throws
    {
        let program = try PseudoTerminal(["--help"], columns: 80, rows: 24)
        let cell = PixelSize(width: 7, height: 15)
        try expectEqual(program.size(0, 0, pixels: [900, 800]), TerminalSize())
        try expectEqual(program.size(100, 40, pixels: [0, 0]), TerminalSize(columns: 100, rows: 40))
        let found = TerminalSize(columns: 100, rows: 40, cell: PixelSize(width: 9, height: 20))
        try expectEqual(program.size(100, 40, pixels: [900, 800]), found)
        let told = TerminalSize(columns: 1_000, rows: 1_000, cell: cell)
        try expectEqual(program.size(2_000, 1_500, pixels: [20_000, 30_000], cell: cell), told)
    }

    @Test func `a script on standard input is played, and its last screen is printed and written`() throws {
        let png = FileManager.default.temporaryDirectory.appending(path: "gallery-\(UUID().uuidString).png")
        defer { try? FileManager.default.removeItem(at: png) }
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: try required(PseudoTerminal.program))
        process.arguments = ["--script", "-", "--count", "2", "--picture-size", "48x32", "--size", "32x12", "--png"]
        process.arguments?.append(png.path)
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data("# one after the other\nright wait\n".utf8))
        try input.fileHandleForWriting.close()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        expectEqual(process.terminationStatus, 0)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        expectEqual(lines.count, 13)
        expectAll(lines[11].hasPrefix(" 2 of 2   "), text.contains(" 2 jpeg, downloaded"))
        let image = try ImageCoders.default.decode(Array(Data(contentsOf: png)))
        expectEqual(image.size, PixelSize(width: 32 * 12, height: 12 * 24))
    }

    @Test func `a complaint cannot control the terminal`() throws {
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(filePath: try required(PseudoTerminal.program))
        process.arguments = ["--\u{202E}\u{1B}[2Jä"]
        process.standardError = errors
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        expectEqual(process.terminationStatus, 2)
        expect(text.hasPrefix("gallery: unknown option --\\u{202E}\\u{1B}[2Jä\n"))
    }
}
