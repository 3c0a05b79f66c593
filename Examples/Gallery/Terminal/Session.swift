// SPDX-License-Identifier: MIT
import Foundation
import WebImageBinding

/// The gallery in a terminal, from the first question to the last byte.
@MainActor
struct Session {
    let terminal: Terminal
    private let capabilities: Capabilities
    private let graphics: Graphics
    private let events: TerminalEvents
    private let typedAhead: [Key]

    /// Creates a session, which takes the terminal over.
    ///
    /// - Parameter graphics: The graphics to draw with; `nil` for the best that the terminal supports.
    /// - Throws: ``SystemError`` when there is no terminal.
    init(_ graphics: Graphics?) throws(SystemError) {
        terminal = try Terminal()
        try terminal.enter()
        var reader = TerminalReader()
        (capabilities, typedAhead) = Capabilities.ask(&reader)
        self.graphics = graphics ?? capabilities.best(ProcessInfo.processInfo.environment)
        events = TerminalEvents(reader)
    }

    /// Runs until the user quits or a signal ends the program.
    ///
    /// - Returns: The exit status.
    func run(_ stage: Stage) async -> Int32 {
        let display = Display(graphics, checksPictures: stage.checksPictures) {
            try Terminal.write($0, to: STDOUT_FILENO)
        }
        let gallery = Gallery(
            stage.items, stage.manager, display,
            .init(
                size: terminal.size(cell: capabilities.cell), graphics: graphics, origin: stage.origin,
                flights: stage.flights))
        if stage.beginsWithBoard { gallery.showBoard() }
        let pulse = Task(name: "pulse") { await Self.pulse(gallery) }
        defer { pulse.cancel() }
        for key in typedAhead { gallery.handle(key) }
        var status: Int32 = 0
        for await event in events.sequence {
            switch event {
            case .key(.redraw): await redraw(gallery, display)
            case .key(let key): gallery.handle(key)
            case .resized: gallery.resize(terminal.size(cell: capabilities.cell))
            case .suspend: await suspend(gallery, display)
            case .resumed: await redraw(gallery, display)
            case .end(let number):
                status = number
                gallery.handle(.interrupt)
            }
            if gallery.hasQuit { break }
        }
        await gallery.displayed()
        terminal.leave(graphics)
        return gallery.failure == nil ? status : 129
    }

    /// Gives the terminal back for as long as the process is stopped.
    private func suspend(_ gallery: Gallery, _ display: Display) async {
        await gallery.displayed()
        terminal.leave(graphics)
        terminal.stop()
        await redraw(gallery, display)
    }

    private func redraw(_ gallery: Gallery, _ display: Display) async {
        try? terminal.enter()
        await display.invalidate()
        gallery.resize(terminal.size(cell: capabilities.cell))
    }

    /// Keeps fades moving and the status line up to date.
    private static func pulse(_ gallery: Gallery) async {
        while (try? await Task.sleep(for: gallery.isMoving ? .milliseconds(40) : .milliseconds(250))) != nil {
            gallery.beat()
        }
    }
}
