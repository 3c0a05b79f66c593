// SPDX-License-Identifier: MIT
import Foundation
import WebImage

/// Starts loads of every kind, cancels them at random times, and checks that nothing leaks.
@main
struct Soak {
    static func main() async {
        if Version.isPrinted(for: "soak") { return }
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            print(Options.usage)
            exit(2)
        }
        print("soak: \(options.rounds) rounds against each world, \(options.workers) at once, seed \(options.seed)")
        do {
            var isClean = true
            for world in World.Kind.allCases {
                isClean = try await Trial(world, options).run() && isClean
            }
            print(isClean ? "\nNothing leaked." : "\nSomething leaked.")
            exit(isClean ? 0 : 1)
        } catch {
            print("soak: \(error)")
            exit(2)
        }
    }
}
