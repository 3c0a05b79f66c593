// SPDX-License-Identifier: MIT
import Dispatch
import Locks
import PlatformBasics
import WebImage

/// All output of the command: outcomes on standard output, errors and progress on standard error.
///
/// A failing output stops the printing, and not the work.
final class Screen: Sendable {
    private struct State {
        var bars: ProgressBars
        var labels = Labels([])
        /// Where pictures are shown; `nil` for lines of text alone.
        var grid: PictureGrid?
        var hasWarned = false
        var outputFailure: SystemError?
        var ticker: (any DispatchSourceTimer)?
    }

    private let state: Mutex<State>
    private let options: Options
    private let output: StandardStream
    private let errors: StandardStream
    /// The terminal that progress is drawn on; `nil` for none.
    private let progress: Terminal?
    /// The terminal that outcomes are printed on; `nil` for a file or a pipe.
    private let table: Terminal?
    private let colours: Colours
    private let errorColours: Colours

    init(_ options: Options, output: StandardStream = .output, errors: StandardStream = .error) {
        self.options = options
        self.output = options.writesPicture ? errors : output
        self.errors = errors
        let (table, progress) = (Terminal(self.output), Terminal(errors))
        self.table = table
        // A pager owns the terminal that it shows the output on, and JSON lines on a terminal are for reading.
        let isShown = !options.isQuiet && !(options.writesJSON && table != nil) && !self.output.isPipe
        self.progress = isShown ? progress : nil
        colours = Colours(isOn: table?.hasColours == true)
        errorColours = Colours(isOn: progress?.hasColours == true)
        state = Mutex(State(bars: ProgressBars(.init(colours: errorColours, isUnicode: Terminal.isUnicode))))
    }

    /// - Parameter jobs: What is fetched.
    func begin(_ jobs: [Job]) {
        state.withLock { state in
            state.bars.begin(count: jobs.reduce(0) { $0 + $1.count }, now: .now)
            state.labels = Labels(jobs.map(\.text.printable))
            if options.showsPictures, let table, let graphics = Canvas.Graphics(table) {
                state.grid = PictureGrid(count: jobs.count, graphics, table.size)
            }
            guard progress != nil else { return }
            let timer = DispatchSource.makeTimerSource()
            timer.setEventHandler { @Sendable [weak self] in self?.redraw() }
            timer.schedule(deadline: .now() + .milliseconds(100), repeating: .milliseconds(100))
            timer.activate()
            state.ticker = timer
        }
    }

    /// Erases the progress for good, and says what the run has done.
    ///
    /// - Parameter isWhole: Whether the run came to its end.
    func end(isWhole: Bool) {
        state.withLock { state in
            state.ticker?.cancel()
            state.ticker = nil
            state.bars.end()
            draw(&state)
            guard isWhole, progress != nil, table != nil, state.bars.isOfSeveral else { return }
            errors.writeLine(state.bars.summary(now: .now))
        }
    }

    func show(_ outcome: Outcome) {
        state.withLock { state in
            state.bars.note(outcome)
            erase(&state)
            if options.writesJSON {
                write(outcome.json + "\n", &state)
            } else if !outcome.succeeded {
                state.grid?.endRow()
                errors.writeLine("fetch: " + outcome.failureLine(errorColours))
            } else if let text = picture(outcome, &state) {
                write(text, &state)
            } else if !options.isQuiet {
                let line = table.map { outcome.line(columns: $0.size.columns, colours, state.labels) } ?? outcome.line
                write(line + "\n", &state)
            }
            if options.isVerbose {
                state.grid?.endRow()
                for line in outcome.details { errors.writeLine("  " + line) }
            }
            draw(&state)
        }
    }

    /// What a picture is, or why that is not known.
    func show(_ result: Result<PictureInfo, Outcome.Failure>, of job: Job) {
        switch result {
        case .success(let info):
            let text = options.writesJSON ? info.json(named: job.text) : info.text(named: job.text)
            state.withLock { write(text + "\n", &$0) }
        case .failure(let failure):
            show(Outcome(url: job.text, milliseconds: 0, answer: nil, result: .failure(failure)))
        }
    }

    /// A line on standard error.
    func complain(_ text: String) {
        state.withLock { state in
            erase(&state)
            state.grid?.endRow()
            errors.writeLine("fetch: " + text.printable)
            draw(&state)
        }
    }

    /// Lines on standard error for a human reader, unless the reader is a program or wants none.
    func explain(_ lines: [String]) {
        guard !options.isQuiet, !options.writesJSON else { return }
        let columns = progress?.size.columns ?? .max
        for line in lines { errors.writeLine(Usage.filled(line.printable, to: columns - 1)) }
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

    /// Where pictures are shown, and how.
    var canvas: Canvas? { state.withLock { $0.grid?.canvas } }

    /// The picture with its name below, and its size where there is room.
    private func picture(_ outcome: Outcome, _ state: inout State) -> String? {
        guard case .success(let picture) = outcome.result, let painting = picture.painting, let grid = state.grid else {
            return nil
        }
        let name = state.labels.label(for: outcome.url.printable)
        let (columns, size) = (grid.canvas.columns, " " + picture.size)
        let hasRoom = name.columnCount + size.count <= columns
        return state.grid?.text(
            painting, caption: name.shortened(to: columns) + (hasRoom ? colours.dim(size) : ""))
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

// MARK: - Progress

extension Screen {
    /// The bar of one download.
    struct Bar: Sendable {
        fileprivate let number: Int
        fileprivate let screen: Screen

        func update(_ progress: LoadProgress) { screen.update(number, progress) }
        func remove() { screen.state.withLock { $0.bars.remove(number) } }
    }

    func bar(for name: String) -> Bar {
        Bar(
            number: state.withLock { $0.bars.add($0.labels.label(for: name.printable), sharing: $0.labels.shared) },
            screen: self)
    }

    private func update(_ number: Int, _ progress: LoadProgress) {
        guard self.progress != nil else { return }
        state.withLock { state in
            guard state.bars.update(number, progress, now: .now) else { return }
            draw(&state)
        }
    }

    private func redraw() { state.withLock { draw(&$0) } }

    private func erase(_ state: inout State) {
        guard let progress else { return }
        try? errors.write(Array(state.bars.erased(from: progress.size).utf8))
    }

    /// Erases and draws in one piece, so that nothing flickers.
    private func draw(_ state: inout State) {
        guard let size = progress?.size else { return }
        let text = state.bars.erased(from: size) + state.bars.drawn(on: size, now: .now)
        guard !text.isEmpty else { return }
        try? errors.write(Array(text.utf8))
    }
}
