import Foundation
import WebImage

/// Downloads pictures: the command.
@main
struct Fetch {
    static func main() async {
        let options: Options
        do {
            options = try Options(parsing: Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("fetch: \(error.message)\n\n\(Options.usage)\n".utf8))
            exit(2)
        }
        if options.wantsHelp {
            print(Options.usage)
            exit(0)
        }
        let run = Task { await status(of: options) }
        let interrupt = Interrupt { run.cancel() }
        let code = await run.value
        interrupt.stop()
        exit(code)
    }

    /// Runs the command and answers its exit status.
    private static func status(of options: Options) async -> Int32 {
        let screen = Screen(options)
        do {
            let jobs = try Job.list(options)
            guard !jobs.isEmpty else { return try await Demo.run(options, screen) }
            return try await Batch(options, jobs, screen).run()
        } catch let error as UsageError {
            screen.complain(error.message)
            return 2
        } catch is CancellationError {
            screen.complain("interrupted")
            return 130
        } catch {
            screen.complain("\(error)")
            return 1
        }
    }
}
