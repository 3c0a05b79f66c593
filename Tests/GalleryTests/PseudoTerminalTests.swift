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
        program.type("\r")
        try program.wait { $0.screen.seeds(smaller, top: 2) == [4, 5, 6, 7] }

        // No shell could continue it, so the system does not stop it: it gives the terminal back and takes it again.
        program.type("\u{1A}")
        try program.wait { $0.departures == 1 && $0.screen.seeds(smaller, top: 2) == [4, 5, 6, 7] }

        program.type("q")
        try expectEqual(program.end(), 0)
        expectEqual(program.modes, found)
        expectEqual(program.terminal.modes, [25])
    }

    @Test func `Ctrl-C ends the gallery in order`() throws {
        let program = try PseudoTerminal(arguments, columns: 80, rows: 24)
        let found = program.modes
        try program.wait { $0.screen.text.contains("1 of 40") }
        while try program.filesLeft.isEmpty { try Task.checkCancellation() }
        program.type("\u{3}")
        try expectEqual(program.end(), 0)
        try expectEqual(program.filesLeft, [])
        expectEqual(program.modes, found)
        expectEqual(program.terminal.modes, [25])
    }

    @Test func `the gallery ends with its terminal`() throws {
        let program = try PseudoTerminal(arguments, columns: 80, rows: 24)
        try program.wait { $0.screen.text.contains("1 of 40") }
        program.hangUp()
        try expectEqual(program.end(), 129)
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
