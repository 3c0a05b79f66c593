// SPDX-License-Identifier: MIT
import Foundation
import WebImage

/// One process of the trials in `Tests/Acceptance/cache-trials`, or the hit ratios.
@main
struct CacheTrial {
    static func main() async {
        if Version.isPrinted(for: "cache-trial") { return }
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            print(Options.usage)
            exit(2)
        }
        exit(await run(options) ? 0 : 1)
    }

    @concurrent
    private static func run(_ options: Options) async -> Bool {
        if options.role == .pressure { return await Pressure(options: options).run() }
        guard let folder = options.folder else { return await HitRatios.run() }
        // Dispatch opens the descriptors of its timers for the first sleep, and traps when there are none left.
        try? await Task.sleep(for: .milliseconds(1))
        options.limitResources()
        let trial = Trial(options, folder: folder)
        switch options.role {
        case .write: return await trial.write()
        case .read: return await trial.read()
        case .answer: return await trial.answer()
        case .trim: return await trial.repeatedly { try await $0.trim(toBytes: options.maximumByteCount / 2) }
        case .clear: return await trial.repeatedly { try await $0.removeAll() }
        case .check: return await trial.check()
        case .ratios, .pressure: return false
        }
    }
}

/// Prints a line at once, because a killed process loses what it has not written.
func say(_ line: String) {
    print(line)
    fflush(nil)
}

/// The words of the command line.
struct Options: Sendable {
    static let usage = """
        usage: cache-trial ratios
               cache-trial pressure [--limit BYTES] [--ballast BYTES] [--seed N] [--seconds N] [--unwatched]
               cache-trial write|read|answer|trim|clear|check FOLDER [--limit BYTES] [--seed N] [--seconds N]
                           [--open-files N] [--file-size BYTES] [--synced]

        `ratios` replays generated traces through the caches, and prints their hit ratios beside those of LRU and of a
        simulator. `pressure` fills a memory cache, then takes the memory for something else. The others are the
        processes of Tests/Acceptance/cache-trials: each works on one folder until its time is over, or it is killed,
        and verifies every byte that it reads. `answer` reads numbers of keys and says what is stored for them.
        """

    enum Role: String, Sendable {
        case ratios, pressure, write, read, answer, trim, clear, check
    }

    let role: Role
    private(set) var folder: String?
    private(set) var maximumByteCount = 4_000_000
    private(set) var seed: UInt64 = 1
    private(set) var seconds = 3_600.0
    private(set) var isSynced = false
    private(set) var isWatched = true
    private(set) var ballast = 0
    private var openFiles: rlim_t?
    private var fileSize: rlim_t?

    /// - Returns: `nil` when the words are invalid.
    init?(_ words: some Sequence<String>) {
        var words = words.makeIterator()
        guard let role = words.next().flatMap(Role.init) else { return nil }
        self.role = role
        if role != .ratios, role != .pressure {
            guard let folder = words.next() else { return nil }
            self.folder = folder
        }
        while let word = words.next() {
            if word == "--synced" {
                isSynced = true
                continue
            }
            if word == "--unwatched" {
                isWatched = false
                continue
            }
            guard let number = words.next().flatMap({ Double($0) }), (0...1e15).contains(number) else { return nil }
            switch word {
            case "--limit": maximumByteCount = Int(number)
            case "--ballast": ballast = Int(number)
            case "--seed": seed = UInt64(number)
            case "--seconds": seconds = number
            case "--open-files": openFiles = rlim_t(number)
            case "--file-size": fileSize = rlim_t(number)
            default: return nil
            }
        }
    }

    /// Takes this process what the trial says it does not have.
    func limitResources() {
        if let openFiles { Self.limit(RLIMIT_NOFILE, to: openFiles) }
        if let fileSize {
            signal(SIGXFSZ, SIG_IGN)
            Self.limit(RLIMIT_FSIZE, to: fileSize)
        }
    }

    private static func limit(_ resource: __rlimit_resource, to most: rlim_t) {
        var limit = rlimit(rlim_cur: most, rlim_max: most)
        // The structure outlives the call.
        if unsafe setrlimit(__rlimit_resource_t(resource.rawValue), &limit) != 0 { say("no limit: \(errno)") }
    }
}
