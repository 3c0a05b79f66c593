import Foundation
import Synchronization
import WebImage

/// Everything the command prints: outcomes on standard output, complaints on standard error, and on a terminal a bar
/// for each running download with a total below.
final class Screen: Sendable {
    private struct State {
        var bars: [(id: Int, name: String, progress: LoadProgress?)] = []
        var nextID = 0
        var drawnLines = 0
        var done = 0
        var count = 0
        var lastDraw = ContinuousClock.now - .seconds(1)
    }

    private let state = Mutex(State())
    private let options: Options
    private let isTerminal: Bool

    init(_ options: Options) {
        self.options = options
        isTerminal = !options.writesJSON && !options.isQuiet && isatty(STDOUT_FILENO) == 1
    }

    func begin(count: Int) {
        state.withLock { $0.count = count }
    }

    func end() {
        state.withLock { erase(&$0) }
    }

    func show(_ outcome: Outcome) {
        state.withLock { state in
            state.done += 1
            erase(&state)
            if options.writesJSON {
                write(outcome.json)
            } else if !outcome.succeeded {
                complain(outcome.line)
            } else if !options.isQuiet {
                write(outcome.line)
            }
            draw(&state)
        }
    }

    /// A line on standard error.
    func complain(_ text: String) {
        FileHandle.standardError.write(Data("fetch: \(text)\n".utf8))
    }

    // MARK: Bars

    struct Bar: Sendable {
        fileprivate let id: Int
        fileprivate let screen: Screen

        func update(_ progress: LoadProgress) { screen.update(id, progress) }
        func remove() { screen.remove(id) }
    }

    func bar(for url: String) -> Bar {
        state.withLock { state in
            state.nextID += 1
            if isTerminal { state.bars.append((state.nextID, url, nil)) }
            return Bar(id: state.nextID, screen: self)
        }
    }

    private func update(_ id: Int, _ progress: LoadProgress) {
        guard isTerminal else { return }
        state.withLock { state in
            guard let index = state.bars.firstIndex(where: { $0.id == id }) else { return }
            state.bars[index].progress = progress
            guard ContinuousClock.now - state.lastDraw > .milliseconds(50) else { return }
            erase(&state)
            draw(&state)
        }
    }

    private func remove(_ id: Int) {
        state.withLock { $0.bars.removeAll { $0.id == id } }
    }

    private func erase(_ state: inout State) {
        guard state.drawnLines > 0 else { return }
        write("\u{1B}[\(state.drawnLines)A\u{1B}[J", terminator: "")
        state.drawnLines = 0
    }

    private func draw(_ state: inout State) {
        guard isTerminal, state.done < state.count else { return }
        state.lastDraw = .now
        let running = state.bars.filter { $0.progress != nil }.prefix(12)
        for bar in running { write(Self.line(bar.name, bar.progress)) }
        write("\(state.done) of \(state.count) done")
        state.drawnLines = running.count + 1
    }

    private static func line(_ name: String, _ progress: LoadProgress?) -> String {
        let width = 24
        let filled = Int((progress?.fraction ?? 0) * Double(width))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
        let bytes = "\(progress?.receivedByteCount ?? 0)".padding(toLength: 10, withPad: " ", startingAt: 0)
        return "[\(bar)] \(bytes) \(name.suffix(40))"
    }

    private func write(_ text: String, terminator: String = "\n") {
        FileHandle.standardOutput.write(Data((text + terminator).utf8))
    }
}
