// SPDX-License-Identifier: MIT
import HTTPTransport
import PlatformBasics
import WebImage

/// Downloads pictures: the command.
@main
struct Fetch {
    static func main() async {
        Surroundings.prepare()
        let options: Options
        let jobs: [Job]
        do throws(UsageError) {
            options = try Options(parsing: Array(CommandLine.arguments.dropFirst()))
            if let text = text(for: options.action) {
                StandardStream.output.writeLine(text)
                exit(0)
            }
            // The list is read before signals are caught, so that a signal can still stop a wait for it.
            jobs = [.fetch, .info].contains(options.action) ? try Job.list(options) : []
            if options.writesPicture, StandardStream.output.isTerminal {
                throw UsageError(message: "a terminal cannot show the file; send --output - to a file or a program")
            }
            if options.showsPictures, Canvas.Graphics(Terminal(.output)) == nil {
                throw UsageError(message: "--show needs a terminal with colours and a UTF-8 locale")
            }
            if options.action == .info, jobs.isEmpty { throw UsageError(message: "--info needs a URL or a file") }
        } catch {
            StandardStream.error.writeLine("fetch: \(error.message)\nTry: fetch --help")
            exit(2)
        }
        let interrupt = Interrupt()
        let run = Task { await status(of: options, jobs) }
        interrupt.onSignal { run.cancel() }
        let code = await run.value
        exit(code == interruptedStatus ? interrupt.status ?? code : code)
    }

    private static let interruptedStatus: Int32 = 130

    /// What the command prints when it fetches nothing.
    private static func text(for action: Options.Action) -> String? {
        switch action {
        case .help: Usage.text
        case .version: "fetch \(Version.number)"
        case .manPage: ManualPage.text
        case .completions(let shell): shell.completions
        case .fetch, .info, .cache, .serve: nil
        }
    }

    /// Runs the command and returns its exit status.
    private static func status(of options: Options, _ jobs: [Job]) async -> Int32 {
        let screen = Screen(options)
        var options = options
        do {
            // A download has a connection and files, and in the demonstration the connection of its origin.
            let free = try await Descriptors.prepare(needing: 12)
            options.concurrency = min(options.concurrency, max(1, (free - 8) / 4))
            if case .cache(let action) = options.action { return try await CacheCommand.run(action, options) }
            if case .serve(let port) = options.action { return try await Demo.serve(on: port) }
            guard !jobs.isEmpty else { return try await Demo.run(options) }
            return try await Batch(options, jobs, screen).run()
        } catch let error as UsageError {
            screen.complain(error.message)
            return 2
        } catch let error as HTTPError where error.code == .tooManyOpenFiles {
            screen.complain(error.message)
            return 1
        } catch is CancellationError {
            screen.complain("interrupted")
            return interruptedStatus
        } catch {
            screen.complain("\(error)")
            return 1
        }
    }
}
