// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.balanced, .timeLimit(.minutes(1))) struct OverloadTests {
    @Test(arguments: seeds)
    func `a full queue of downloads or decodes refuses with an error that is not remembered`(seed: UInt64) throws {
        // A full download queue refuses with one clear error.
        var configuration = ImageManager.Configuration()
        configuration.downloader.maximumConcurrentDownloads = 1
        configuration.downloader.maximumQueueLength = 1
        let gate = Gate()
        let staged = try StagedManager(seed: seed, gate: gate, hasDisk: false, configuration: configuration)
        let callers = (0..<4).map { staged.load(.numbered($0)) }
        staged.run()
        expectEqual(callers.count { $0.code == .overloaded }, 2)
        staged.open(gate)
        expectAll(callers.count { $0.value != nil } == 2, staged.isAtRest)
        let next = staged.loadInTurn(.numbered(9))
        expect(next.value != nil)

        // A full decode queue refuses with one clear error, which is not remembered.
        do {
            let staged = try StagedManager(seed: seed, width: 1, maximumQueueLength: 1, hasDisk: false)
            let callers = (0..<4).map { staged.load(.numbered($0)) }
            staged.run(without: .pixels)
            staged.run()
            expectAll(callers.count { $0.code == .overloaded } == 2, callers.count { $0.value != nil } == 2)
            let again = (0..<4).map { number in
                let caller = staged.loadInTurn(.numbered(number))
                return caller
            }
            expectAll(again.allSatisfy { $0.value != nil }, staged.isAtRest)
        }
    }

    @Test(arguments: seeds) func `overload is not a cache miss: a stored variant is refused, not downloaded`(
        seed: UInt64
    ) throws {
        let staged = try StagedManager(seed: seed, width: 1, maximumQueueLength: 0)
        let variant = ImageRequest.numbered(1, transformers: [.resize(to: .init(width: 4, height: 4), mode: .fill)])
        staged.loadInTurn(variant)
        staged.emptyMemory()
        var blocking = ImageRequest.numbered(2)
        blocking.cacheReads = .memory
        let blocker = staged.load(blocking)
        staged.run(without: .pixels)
        let refused = staged.load(variant)
        staged.run(without: .pixels)
        expectEqual(refused.code, .overloaded)
        staged.run()
        expectAll(blocker.value != nil, staged.transport.requests.count == 2, staged.isAtRest)
    }
}
