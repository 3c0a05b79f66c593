import Foundation
import WebImage

/// Downloads pictures: the command.
@main
struct Fetch {
    static func main() async {
        Surroundings.prepare()
        let options: Options
        let jobs: [Job]
        do {
            options = try Options(parsing: Array(CommandLine.arguments.dropFirst()))
            // The list is read before signals are caught, so that a signal can still stop a wait for it.
            jobs = options.wantsHelp ? [] : try Job.list(options)
        } catch {
            StandardStream.error.writeLine("fetch: \(error.message)\nTry: fetch --help")
            exit(2)
        }
        if options.wantsHelp {
            StandardStream.output.writeLine(Options.usage)
            exit(0)
        }
        let run = Task { await status(of: options, jobs) }
        let interrupt = Interrupt { run.cancel() }
        let code = await run.value
        exit(code == interruptedStatus ? interrupt.status ?? code : code)
    }

    private static let interruptedStatus: Int32 = 130

    /// Runs the command and returns its exit status.
    private static func status(of options: Options, _ jobs: [Job]) async -> Int32 {
        let screen = Screen(options)
        do {
            guard !jobs.isEmpty else { return try await Demo.run(options, screen) }
            return try await Batch(options, jobs, screen).run()
        } catch let error as UsageError {
            screen.complain(error.message)
            return 2
        } catch is CancellationError {
            screen.complain("interrupted")
            return interruptedStatus
        } catch {
            screen.complain("\(error)")
            return 1
        }
    }
}
