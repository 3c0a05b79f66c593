import Foundation
import Synchronization
import WebImage

/// All output of the command: outcomes on standard output, errors on standard error, and on a terminal a bar for each
/// running download with a total below.
///
/// A failing output stops the printing, and not the work.
final class Screen: Sendable {
    private struct State {
        var bars = ProgressBars()
        var hasWarned = false
        var outputFailure: SystemError?
    }

    private let state = Mutex(State())
    private let options: Options
    private let output: StandardStream
    private let errors: StandardStream
    private let terminal: Terminal?

    init(_ options: Options, output: StandardStream = .output, errors: StandardStream = .error) {
        self.options = options
        self.output = output
        self.errors = errors
        terminal = options.writesJSON || options.isQuiet ? nil : Terminal(output)
    }

    func begin(count: Int) { state.withLock { $0.bars.count = count } }

    func end() { state.withLock { erase(&$0) } }

    func show(_ outcome: Outcome) {
        state.withLock { state in
            state.bars.note(outcome)
            erase(&state)
            if options.writesJSON {
                write(outcome.json + "\n", &state)
            } else if !outcome.succeeded {
                errors.writeLine("fetch: " + outcome.line)
            } else if !options.isQuiet {
                write(outcome.line + "\n", &state)
            }
            draw(&state)
        }
    }

    /// A line on standard error.
    func complain(_ text: String) {
        state.withLock { state in
            erase(&state)
            errors.writeLine("fetch: " + text.printable)
            draw(&state)
        }
    }

    /// Prints a failure of the cache, once. The pictures are loaded without it.
    func warn(_ error: CacheError) {
        let isFirst = state.withLock { state in
            defer { state.hasWarned = true }
            return !state.hasWarned
        }
        guard isFirst else { return }
        complain("warning: \(error.message)" + (error.path.map { " (\($0))" } ?? ""))
    }

    /// Whether outcomes could not be printed although their reader has not left.
    var hasLostLines: Bool {
        state.withLock { $0.outputFailure.map { $0.number != EPIPE } ?? false }
    }

    private func write(_ text: String, _ state: inout State) {
        guard state.outputFailure == nil else { return }
        do throws(SystemError) {
            try output.write(Array(text.utf8))
        } catch {
            state.outputFailure = error
            if error.number != EPIPE { errors.writeLine("fetch: cannot write to standard output: \(error.message)") }
        }
    }
}

// MARK: - Bars

extension Screen {
    /// The bar of one download.
    struct Bar: Sendable {
        fileprivate let number: Int
        fileprivate let screen: Screen

        func update(_ progress: LoadProgress) { screen.update(number, progress) }
        func remove() { screen.state.withLock { $0.bars.remove(number) } }
    }

    func bar(for name: String) -> Bar {
        Bar(number: state.withLock { $0.bars.add(name) }, screen: self)
    }

    private func update(_ number: Int, _ progress: LoadProgress) {
        guard terminal != nil else { return }
        state.withLock { state in
            guard state.bars.update(number, progress, now: .now) else { return }
            erase(&state)
            draw(&state)
        }
    }

    private func erase(_ state: inout State) {
        guard let terminal else { return }
        write(state.bars.erased(from: terminal.size), &state)
    }

    private func draw(_ state: inout State) {
        guard let terminal else { return }
        write(state.bars.drawn(on: terminal.size, now: .now), &state)
    }
}
