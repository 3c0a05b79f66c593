// SPDX-License-Identifier: MIT
import Foundation
import WebImage

/// The part of the attacks that needs the library itself. `Tests/Attack/run` starts it, watches it and judges it.
@main
struct Attack {
    static func main() async throws {
        var words = Array(CommandLine.arguments.dropFirst())
        guard !words.isEmpty else { return usage() }
        let command = words.removeFirst()
        switch (command, words.count) {
        case ("bombs", 1): try BombAttack.write(to: words[0])
        case ("load", 1...): await LoadAttack(words).run()
        case ("fuzz", 5): try await FuzzAttack(words).run()
        case ("cancel", 2): try await CancelAttack.run(bomb: words[0], small: words[1])
        case ("shutdown", 1): try await ShutdownAttack.run(words[0])
        case ("number", 1): try await NumberAttack.run(words[0])
        case ("parse", 2): try await ParseAttack.run(words[0], words[1])
        default: usage()
        }
    }

    private static func usage() {
        print(
            "usage: attack bombs FOLDER | load … | fuzz STATE SEED STRIDE COUNT SECONDS | cancel URL URL | shutdown CASE"
        )
        print("       | number CASE | parse json|xml FILE")
        exit(2)
    }
}

/// Ends the process with status 3: something was accepted that must not be.
func loss(_ message: String) -> Never {
    FileHandle.standardError.write(Data("LOSS \(message)\n".utf8))
    exit(3)
}

/// Returns when the runner writes a line or closes the pipe.
func nextLine() async {
    await withUnsafeContinuation { continuation in
        Thread.detachNewThread {
            _ = readLine()
            continuation.resume()
        }
    }
}
