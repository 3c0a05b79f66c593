// SPDX-License-Identifier: MIT
import Foundation

/// Measures the library against baselines in the same run, and prints a table.
///
/// Figures above their ceilings are marked. They decide nothing: the exit status tells whether every row was measured.
@main
struct Bench {
    static func main() async {
        if Version.isPrinted(for: "bench") { return }
        do throws(Options.Ending) {
            let options = try Options(CommandLine.arguments.dropFirst())
            exit(await measureEverything(options) ? 0 : 1)
        } catch {
            switch error {
            case .help: print(Options.usage)
            case .list: Family.all.forEach { print("\($0.name): \($0.summary)") }
            case .misuse(let message):
                complain("\(message)\n\(Options.usage)")
                exit(2)
            }
        }
    }

    /// Runs off the main actor, like the requests of a server.
    ///
    /// - Returns: Whether every family could be measured.
    @concurrent
    private static func measureEverything(_ options: Options) async -> Bool {
        let report = Report(asJSON: options.asJSON)
        var isComplete = true
        if options.effort.alone == nil { report.begin() }
        for family in Family.all where options.selects(family) {
            do {
                try await family.run(options.effort) { report.show($0) }
            } catch is RanAlone {
                continue
            } catch {
                complain("\(family.name): \(error)")
                isComplete = false
            }
        }
        if options.effort.alone == nil { report.end() }
        return isComplete
    }

    private static func complain(_ message: String) {
        FileHandle.standardError.write(Data("bench: \(message)\n".utf8))
    }
}
