// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// A downloader whose jobs all run on one seeded executor.
struct DownloaderScenario {
    let executor: SeededExecutor
    let transport: StubTransport
    let downloader: ImageDownloader

    init(
        seed: UInt64, gate: Gate? = nil, slots: Int = 1, jobs: JobQueue? = nil,
        configure: (inout ImageDownloader.Configuration) -> Void = { _ in },
        answer: @escaping StubTransport.Answer = HTTPResponse.picture
    ) {
        executor = SeededExecutor(seed: seed)
        transport = StubTransport(gate: gate, answer)
        var configuration = ImageDownloader.Configuration()
        configuration.maximumConcurrentDownloads = slots
        configure(&configuration)
        downloader = ImageDownloader(
            configuration: configuration, transport: transport, hub: ActivityHub(), contents: ContentOrder(),
            jobs: jobs, executor: executor, inspect: { _ in }, onArrival: { _, _ in })
        ledger?.settle { [executor] in executor.drain() }
        ledger?.enter("downloader") { [downloader] in downloader.entryCount + downloader.contentOrder.count }
        if let jobs { ledger?.enter("bytes of originals") { jobs.originalByteCount } }
    }

    /// Starts a caller and does not run it yet.
    func download(_ request: ImageRequest) -> Probe<Download> {
        Probe(on: executor) { [downloader] in try await downloader.download(request) }
    }

    func download(_ number: Int) -> Probe<Download> { download(.numbered(number)) }

    /// Starts callers one after the other, and runs each until it waits.
    func downloadInTurn(_ numbers: some Sequence<Int>, host: String = "example.org") -> [Probe<Download>] {
        numbers.map { downloadInTurn($0, host: host) }
    }

    func downloadInTurn(
        _ number: Int = 1, host: String = "example.org", priority: ImagePriority = .normal
    ) -> Probe<Download> {
        let request = ImageRequest(URL(string: "https://\(host)/\(number).png")!, priority: priority)
        let caller = download(request)
        executor.drain()
        return caller
    }

    /// Lets a second pass for the queue.
    func nextRound() {
        downloader.nextRound()
        executor.drain()
    }

    /// Changes the settings, as a caller on the actor.
    func change(_ body: @escaping @Sendable (isolated ImageDownloader) -> Void) {
        let change = Probe(on: executor) { [downloader] in await body(downloader) }
        executor.drain()
        expect(change.value != nil)
    }

    func end(_ callers: [Probe<Download>]) {
        for caller in callers { caller.cancel() }
        executor.drain()
    }

    /// The pictures of the transfers that have begun, in order.
    var begun: [String] { transport.requests.map(\.url.lastPathComponent) }

    var isAtRest: Bool {
        downloader.queuedCount + downloader.runningCount + downloader.board.count + downloader.slots.entryCount
            + transport.open + executor.pending == 0
    }
}
