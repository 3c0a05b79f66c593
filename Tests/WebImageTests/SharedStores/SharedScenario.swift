// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import Synchronization
import TaskCoordination
import TestSupport
import WebImageTesting

@testable import SharedStores
@testable import WebImage

/// Several managers, as in several processes, in front of one shared store and one origin. All run on one executor.
struct SharedScenario {
    let executor: SeededExecutor
    let transport: StubTransport
    let clock = ManualClock()
    let caches: [SharedCache]
    let managers: [ImageManager]

    init(
        seed: UInt64, _ count: Int, _ store: ScriptedStore, gate: Gate? = nil, holding held: Int? = nil,
        configuration: ImageManager.Configuration = .unchanged, local: [any CacheStoring]? = nil,
        answer: @escaping StubTransport.Answer = HTTPResponse.picture
    ) {
        let executor = SeededExecutor(seed: seed)
        self.executor = executor
        let transport = StubTransport(gate: gate, holding: held, answer)
        self.transport = transport
        var sharing = SharedCache.Configuration()
        sharing.clock = clock
        sharing.now = { .seconds(1_000) }
        let clock = clock
        caches = (0..<count).map {
            SharedCache(local: local?[$0], stores: [store], configuration: sharing, executor: executor)
        }
        var configuration = configuration
        configuration.maximumInlinePixelCount = 0
        managers = caches.map { cache in
            .seeded(on: executor, transport, configuration) {
                $0.disk = cache
                $0.clock = clock
                $0.now = { Date(timeIntervalSince1970: 1_000) }
            }
        }
        ledger?.enter("leases") { [caches] in caches.reduce(0) { $0 + $1.table.count } }
        ledger?.enter("answers") { [transport] in transport.open }
    }

    func file(
        _ number: Int, by manager: Int, size: Int = 4, policy: CachePolicy = .cacheFirst,
        retriesFailed: Bool = false
    ) -> Probe<EncodedImage> {
        let manager = managers[manager]
        var request = ImageRequest.numbered(
            number, transformers: [.resize(to: PixelSize(width: size, height: size))])
        request.cachePolicy = policy
        request.retriesFailed = retriesFailed
        return Probe(on: executor) { [request] in try await manager.encodedImage(for: request, as: .png) }
    }

    /// Runs everything that can run.
    func run() { executor.drain() }

    var asked: Int { transport.requests.count }
}
