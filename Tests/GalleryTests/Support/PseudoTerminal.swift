// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import WebImageBinding

@testable import gallery

/// A program in a terminal that the test implements.
final class PseudoTerminal {
    struct Unavailable: Error {}

    /// The tested program, in the folder of the tests; `nil` when it was not built.
    static var program: String? {
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let program = URL(filePath: path).deletingLastPathComponent().appending(path: "gallery").path
        return FileManager.default.isExecutableFile(atPath: program) ? program : nil
    }

    // From Linux's <asm-generic/ioctls.h> and glibc's <spawn.h>: macros that Swift does not see.
    private static let getNumber: UInt = 0x8004_5430
    private static let setLock: UInt = 0x4004_5431
    private static let newSession: Int16 = 0x80

    private(set) var terminal: EmulatedTerminal
    private var master: Int32
    private let slave: Int32
    private let process: pid_t
    /// Whether the program has ended, and its number may be that of another one.
    private var hasEnded = false

    /// The program's folder for files that do not stay.
    let temporary = FileManager.default.temporaryDirectory.appending(path: "gallery-test-\(UUID().uuidString)")

    init(_ arguments: [String], columns: Int, rows: Int) throws {
        terminal = EmulatedTerminal(columns: columns, rows: rows)
        master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var number: Int32 = 0
        var lock: Int32 = 0
        guard master >= 0, unsafe ioctl(master, Self.setLock, &lock) == 0,
            unsafe ioctl(master, Self.getNumber, &number) == 0, let program = Self.program
        else { throw Unavailable() }
        let name = "/dev/pts/\(number)"
        // Kept open, so that the settings of the terminal can be read after the program has ended.
        slave = unsafe open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        var window = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &window)

        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        // The first terminal that the leader of a session opens becomes the session's.
        unsafe posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        unsafe posix_spawnattr_setflags(&attributes, Self.newSession)
        var words = unsafe Self.copies([program] + arguments)
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        let variables = ["TERM": "xterm-256color", "PATH": "/usr/bin:/bin", "TMPDIR": temporary.path]
        var environment = unsafe Self.copies(variables.merging(plantedBug) { $1 }.map { "\($0)=\($1)" })
        var process: pid_t = 0
        let failure = unsafe posix_spawn(&process, program, &actions, &attributes, &words, &environment)
        unsafe words.forEach { unsafe free($0) }
        unsafe environment.forEach { unsafe free($0) }
        unsafe posix_spawn_file_actions_destroy(&actions)
        unsafe posix_spawnattr_destroy(&attributes)
        guard failure == 0 else { throw Unavailable() }
        self.process = process
    }

    private static func copies(_ words: [String]) -> [UnsafeMutablePointer<CChar>?] {
        unsafe words.map { (word: String) in unsafe strdup(word) } + [nil]
    }

    deinit {
        if !hasEnded {
            kill(process, SIGKILL)
            // Swift Testing would wait for the exit tests behind it without end.
            waitpid(process, nil, 0)
        }
        close(slave)
        hangUp()
        try? FileManager.default.removeItem(at: temporary)
    }

    /// What stands in the folder for files that do not stay.
    var filesLeft: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: temporary.path) } }

    /// The local modes of the terminal: echo, lines, signals.
    var modes: tcflag_t {
        var settings = termios()
        return unsafe tcgetattr(slave, &settings) == 0 ? settings.c_lflag : 0
    }

    func type(_ text: String) { send(Array(text.utf8)) }

    func signal(_ number: Int32) { kill(process, number) }

    /// What a program finds in a window of this size.
    @MainActor func size(_ columns: UInt16, _ rows: UInt16, pixels: [UInt16], cell: PixelSize? = nil) throws
        -> TerminalSize
    {
        var window = winsize(ws_row: rows, ws_col: columns, ws_xpixel: pixels[0], ws_ypixel: pixels[1])
        _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &window)
        return try Terminal(input: slave, output: slave).size(cell: cell)
    }

    func resize(columns: Int, rows: Int) {
        terminal.resize(columns: columns, rows: rows)
        var window = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &window)
    }

    /// Reads the output of the program until the screen is as expected.
    ///
    /// - Throws: `CancellationError` when the test's time is over; ``Unavailable`` when the program has ended.
    func wait(_ isExpected: (EmulatedTerminal) -> Bool) throws {
        // A partial scene is not checked.
        while terminal.modes.contains(2_026) || !isExpected(terminal) { try receive() }
    }

    /// Waits for the end of the program and reads its remaining output.
    ///
    /// - Returns: The exit status; `nil` when a signal ended it.
    func end() throws -> Int32? {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, WNOHANG) != process {
            _ = try? receive(milliseconds: 10)
            try Task.checkCancellation()
        }
        hasEnded = true
        // A read returns a page of the output at most, so the rest may take several.
        while (try? receive(milliseconds: 10)) == true {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
    }

    /// Closes the terminal, as its window is closed.
    func hangUp() {
        if master >= 0 { close(master) }
        master = -1
    }

    private func send(_ bytes: [UInt8]) { try? Terminal.write(bytes, to: master) }

    /// - Returns: Whether there was output.
    @discardableResult
    private func receive(milliseconds: Int32 = 100) throws -> Bool {
        try Task.checkCancellation()
        guard master >= 0 else { return false }
        var entry = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, milliseconds) > 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(master, $0.baseAddress, $0.count) }
        guard count > 0 else { throw Unavailable() }
        terminal.feed(buffer[..<count])
        send(terminal.takeAnswers())
        return true
    }
}
