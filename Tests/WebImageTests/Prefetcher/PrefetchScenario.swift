// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import WebImageTesting

@testable import WebImage

/// A prefetcher of a manager whose transport answers when the test lets it.
struct PrefetchScenario {
    let base: PacedScenario
    let prefetcher: ImagePrefetcher

    var executor: SeededExecutor { base.executor }
    var transport: PacedTransport { base.transport }

    init(
        seed: UInt64, _ configuration: ImagePrefetcher.Configuration = .init(), downloads: Int = 100,
        answer: @escaping StubTransport.Answer = HTTPResponse.keptPicture
    ) {
        base = PacedScenario(seed: seed, downloads: downloads, answer: answer)
        prefetcher = ImagePrefetcher(manager: base.manager, configuration: configuration)
        ledger?.enter("prefetcher") { [executor = base.executor, prefetcher] in
            let count = Probe(on: executor) { await prefetcher.entryCount }
            executor.drain()
            return count.value ?? -1
        }
    }

    /// Starts a list and runs all jobs.
    func start(_ numbers: [Int]) -> ImagePrefetcher.Token? {
        let prefetcher = prefetcher
        let token = base.run { await prefetcher.start(numbers.map { ImageRequest.numbered($0) }) }
        if let token { ledger?.enter("watchers of a list") { token.watcherCount } }
        return token
    }

    /// The number of lists that have not ended.
    var tokens: Int? {
        let prefetcher = prefetcher
        return base.run { await prefetcher.tokens.count }
    }
}

extension ImagePrefetcher.Progress {
    static func counts(finished: Int = 0, failed: Int = 0, cancelled: Int = 0, total: Int) -> Self {
        var progress = Self(totalCount: total)
        progress.finishedCount = finished
        progress.failedCount = failed
        progress.cancelledCount = cancelled
        return progress
    }
}
