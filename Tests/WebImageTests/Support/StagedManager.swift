// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TaskCoordination
import TestSupport
import WebImageTesting

@testable import WebImage

/// A manager, usually with a disk cache, whose tasks, pixels and files each run on an executor, so that a test can
/// pause any of the stages while the others run.
///
/// On a single executor the work of a pool would run within the step of its caller, without other steps between.
final class StagedManager {
    let executor: SeededExecutor
    let transport: StubTransport
    let clock = ManualClock()
    /// What the disk cache takes for the time of day.
    let time = TestTime()
    let coder: CountingCoder
    /// The folder of the disk cache; made when it is first needed.
    let folder: TemporaryFolder?
    let manager: ImageManager
    private let pixels: SeededExecutor
    private let files: SeededExecutor
    private let pool: WorkerPool
    var random: SeededGenerator

    init(
        seed: UInt64, gate: Gate? = nil, holding held: Int? = nil, endGate: Gate? = nil,
        coder: CountingCoder = CountingCoder(),
        width: Int = 2, maximumQueueLength: Int = 1_000, hasDisk: Bool = true,
        configuration: ImageManager.Configuration = .unchanged, system: FileSystem = FileSystem(),
        transport own: StubTransport? = nil, answer: @escaping StubTransport.Answer = HTTPResponse.picture
    ) throws {
        executor = SeededExecutor(seed: seed)
        pixels = SeededExecutor(seed: ~seed)
        files = SeededExecutor(seed: seed ^ 0xF11E)
        random = SeededGenerator(seed: seed)
        transport = own ?? StubTransport(gate: gate, holding: held, endGate: endGate, answer)
        self.coder = coder
        folder = hasDisk ? try TemporaryFolder(isInMemory: true) : nil
        let (files, executor, clock, time) = (files, executor, clock, time)
        let disk = folder.map { folder in
            DiskCache(
                .init(folder: folder.path, now: { time.now }, clock: clock),
                pool: WorkerPool(name: "disk", width: 3, maximumQueueLength: 100, executor: files),
                system: system,
                executor: executor)
        }
        pool = WorkerPool(name: "image", width: width, maximumQueueLength: maximumQueueLength, executor: pixels)
        var configuration = configuration
        configuration.coders = coder.registry
        configuration.maximumProcessingQueueLength = maximumQueueLength
        configuration.maximumInlinePixelCount = 0  // the small pictures of tests take the way of large ones
        manager = ImageManager(
            configuration: configuration,
            parts: .init(
                transport: transport, disk: disk, processing: pool, executor: executor, clock: clock,
                now: { Date(timeIntervalSince1970: Double(time.now.components.seconds)) }))
        ledger?.enter(manager, on: [executor, pixels, files])
        ledger?.enter("answers") { [transport] in transport.open }
    }

    /// A stage that is paused while the others run.
    enum Stage { case pixels, files }

    /// Runs at most this many steps, in the order of the seed.
    func run(steps: Int = .max, without held: Stage? = nil) {
        let executors = [executor] + (held == .pixels ? [] : [pixels]) + (held == .files ? [] : [files])
        var left = steps
        while left > 0 {
            var busyCount = 0
            for executor in executors where executor.pending > 0 { busyCount += 1 }
            guard busyCount > 0 else { return }
            var place = Int.random(in: 0..<busyCount, using: &random)
            for executor in executors where executor.pending > 0 {
                if place == 0 {
                    left -= executor.run(steps: 1)
                    break
                }
                place -= 1
            }
        }
    }

    /// The number of entries on disk.
    var fileCount: Int { folder?.entryFiles.count ?? 0 }

    /// Whether any job waits.
    var canRun: Bool { executor.pending + pixels.pending + files.pending > 0 }

    /// Runs a few steps; the seed chooses the number.
    func runSome(upTo steps: Int = 40) { run(steps: .random(in: 0...steps, using: &random)) }

    func load(_ request: ImageRequest) -> Probe<ImageResponse> {
        let manager = manager
        return Probe(on: executor) { try await manager.load(request) }
    }

    func data(_ request: ImageRequest, as format: OutputFormat = .png) -> Probe<EncodedImage> {
        let manager = manager
        return Probe(on: executor) { try await manager.encodedImage(for: request, as: format) }
    }

    /// Starts a load, and runs everything that can run.
    @discardableResult
    func loadInTurn(_ request: ImageRequest) -> Probe<ImageResponse> {
        let caller = load(request)
        run()
        return caller
    }

    /// Starts a load of a file, and runs everything that can run.
    @discardableResult
    func dataInTurn(_ request: ImageRequest, as format: OutputFormat = .png) -> Probe<EncodedImage> {
        let caller = data(request, as: format)
        run()
        return caller
    }

    /// Opens a gate, and runs everything that can run then.
    func open(_ gate: Gate) {
        gate.open()
        run()
    }

    func shutdown(within grace: Duration = .seconds(5)) -> Probe<ShutdownReport> {
        let manager = manager
        return Probe(on: executor) { await manager.shutdown(within: grace) }
    }

    /// Starts something and does not run it yet.
    func start<Value: Sendable>(
        _ body: @escaping @concurrent @Sendable (ImageManager) async throws -> Value
    ) -> Probe<Value> {
        let manager = manager
        return Probe(on: executor) { try await body(manager) }
    }

    /// Empties the memory cache.
    func emptyMemory() {
        _ = start { await $0.pipeline.caches.memory.removeAll() }
        run()
    }

    /// The manager's occupancy after all steps have run.
    func occupancy() -> LoadOccupancy? {
        let look = start { await $0.occupancy }
        run()
        return look.value
    }

    /// Whether nothing is left: no caller, flight, slot, write or response, and no job.
    var isAtRest: Bool {
        occupancy()?.isIdle == true && transport.open == 0 && pool.queued + pool.running == 0
            && !canRun && entryCount() == 0
    }

    /// The entries left in tables that must be empty at rest.
    private func entryCount() -> Int? {
        let look = start { manager in
            let pipeline = manager.pipeline
            let waiting = await pipeline.isEnding.watcherCount + (pipeline.caches.writes?.entryCount ?? 0)
            let flights = pipeline.pictures.entryCount + pipeline.files.entryCount
            return waiting + flights + pipeline.jobs.entryCount + manager.downloader.entryCount
        }
        run()
        return look.value
    }
}

extension StagedManager {
    /// A manager whose transport brings another picture each time: the seed of the picture counts the answers, from 1.
    static func counting(seed: UInt64, hasDisk: Bool = false) throws -> StagedManager {
        let served = Journal<Int>()
        return try StagedManager(seed: seed, hasDisk: hasDisk) { request in
            served.write(0)
            return try .picture(served.count, for: request)
        }
    }
}

extension HTTPResponse {
    /// A response with the picture of this seed, whatever the address.
    static func picture(_ seed: Int, for request: HTTPRequest) throws -> HTTPResponse {
        HTTPResponse(status: 200, url: request.url, body: HTTPBody([try Pictures.png(seed)]))
    }
}

extension Probe {
    /// The code of the load's error, if it ended with one.
    var code: ImageLoadError.Code? { (error as? ImageLoadError)?.code }
}
