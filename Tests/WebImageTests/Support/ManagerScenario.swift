// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TaskCoordination
import TestSupport
import WebImageTesting

@testable import WebImage

/// Every scenario runs once per seed. The seed identifies a failing interleaving, which replays exactly.
let seeds = Seeds.first(150)

/// For scenarios with another argument besides the seed.
let fewerSeeds = Seeds.first(50)

/// A manager whose jobs all run on one seeded executor.
struct ManagerScenario {
    let executor: SeededExecutor
    let transport: StubTransport
    let clock = ManualClock()
    let manager: ImageManager

    init(
        seed: UInt64, gate: Gate? = nil, configuration: ImageManager.Configuration = .unchanged,
        answer: @escaping StubTransport.Answer = HTTPResponse.picture
    ) {
        var configuration = configuration
        configuration.maximumInlinePixelCount = 0  // the small pictures of tests take the way of large ones
        executor = SeededExecutor(seed: seed)
        transport = StubTransport(gate: gate, answer)
        let clock = clock
        manager = .seeded(on: executor, transport, configuration) {
            $0.clock = clock
        }
        ledger?.enter("answers") { [transport] in transport.open }
    }

    func load(_ request: ImageRequest) -> Probe<ImageResponse> {
        let manager = manager
        return Probe(on: executor) { try await manager.load(request) }
    }

    func load(_ number: Int) -> Probe<ImageResponse> { load(.numbered(number)) }

    /// Starts a load, and runs everything that can run.
    @discardableResult
    func loadInTurn(_ request: ImageRequest) -> Probe<ImageResponse> {
        let caller = load(request)
        executor.drain()
        return caller
    }

    @discardableResult
    func loadInTurn(_ number: Int) -> Probe<ImageResponse> { loadInTurn(.numbered(number)) }
}

extension ImageManager {
    /// A manager whose jobs all run on one seeded executor, and whose tables must be empty at the end of the test.
    static func seeded(
        on executor: SeededExecutor, _ transport: any HTTPLoading, _ configuration: Configuration = .unchanged,
        _ change: (inout Parts) -> Void = { _ in }
    ) -> ImageManager {
        let pool = WorkerPool(name: "image", width: 2, maximumQueueLength: 1_000, executor: executor)
        var parts = Parts(transport: transport, disk: nil, processing: pool, executor: executor)
        change(&parts)
        let manager = ImageManager(configuration: configuration, parts: parts)
        ledger?.enter(manager, on: [executor])
        return manager
    }
}

extension ImageManager.Configuration {
    /// The defaults, asked of the machine once for all scenarios.
    static let unchanged = Self()
}

extension ImageRequest {
    /// The picture with this seed.
    static func numbered(_ number: Int, transformers: [any ImageTransforming] = []) -> ImageRequest {
        ImageRequest(URL(string: "https://example.org/\(number).png")!, transformers: transformers)
    }
}
