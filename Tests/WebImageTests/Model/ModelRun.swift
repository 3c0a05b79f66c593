// SPDX-License-Identifier: MIT
import Foundation
import TaskCoordination
import TestSupport
import WebImageTesting

@testable import WebImage

/// A manager that does what a program says, while everything that its callers see is written down.
final class ModelRun {
    let history = ModelHistory()
    let program: ModelProgram
    let origin: ModelOrigin
    let staged: StagedManager
    private let faults = FaultPlan()
    /// What cancels each call; `nil` for a call that was answered at once.
    private var callers: [(any Ended)?] = []
    private var acts: [Probe<Void>] = []

    init(_ program: ModelProgram) throws {
        let origin = ModelOrigin(history)
        (self.program, self.origin) = (program, origin)
        var configuration = ImageManager.Configuration.unchanged
        if program.isMemorySmall { configuration.memory = MemoryLimits(maximumCost: 8_000, maximumCount: 3) }
        staged = try StagedManager(
            seed: program.seed, hasDisk: program.hasDisk, configuration: configuration, system: faults.system,
            transport: StubTransport(reading: { origin.read($0) }))
    }

    /// Runs the program, and then everything that it has begun.
    ///
    /// - Returns: What has not ended.
    func run() -> String? {
        for step in program.steps {
            perform(step.deed)
            staged.run(steps: step.turns, without: step.held)
        }
        staged.run()
        perform(.waitForDeadline)
        staged.run()
        return faultOfEnds()
    }

    /// Waits for all that goes on, and loads every picture once more.
    func audit() -> String? {
        perform(.disk(fails: false))
        perform(.forgetFailures)
        for address in 0...2 { perform(.origin(address, .none)) }
        // What memory and disk hold at the end, and then what they hold of a newer content.
        look(.cacheFirst)
        forgetMemory()
        look(.onlyIfCached)
        for address in 0...2 { perform(.newContent(address)) }
        look(.reload, variants: false)
        look(.onlyIfCached)
        forgetMemory()
        look(.onlyIfCached)
        perform(.shutDown)
        staged.run()
        return faultOfEnds()
    }

    private func look(_ policy: CachePolicy, variants: Bool = true) {
        for address in 0...2 {
            for isVariant in variants ? [false, true] : [false] {
                perform(.load(ModelLoad(address, isVariant: isVariant, policy)))
                staged.run()
            }
        }
    }

    private func forgetMemory() {
        perform(.flush)
        staged.run()
        perform(.clear(.memory))
        staged.run()
    }

    private func faultOfEnds() -> String? {
        let state = history.present
        if let call = state.calls.first(where: { $0.outcome == nil }) { return "never ends: \(call)" }
        return state.acts.first { $0.ended == nil }.map { "never ends: \($0)" }
    }

    // MARK: - Deeds

    func perform(_ deed: ModelDeed) {
        let manager = staged.manager
        switch deed {
        case .load(let load): call(load)
        case .cancel(let place): cancel(place)
        case .raise(let load): act(deed) { _ in manager.raise(load.request, to: .high) }
        case .remove(let address, let tiers): act(deed) { try await $0.remove(ModelLoad(address).request, from: tiers) }
        case .clear(let tiers): act(deed) { try await $0.clear(tiers) }
        case .store(let address): store(address)
        case .pressure(let pressure): act(deed) { await $0.respond(to: pressure) }
        case .cancelAll: note(deed) { manager.cancelAll() }
        case .cancelLoads(let address): note(deed) { manager.cancelLoads(of: ModelLoad(address).request) }
        case .newContent(let address): origin.newContent(of: address)
        case .origin(let address, let fault): note(deed) { origin.set(fault, of: address) }
        case .disk(let fails):
            note(deed) {
                faults.set { _, call in fails && [.write, .read, .open].contains(call) ? .failure(EIO) : nil }
            }
        case .forgetFailures: note(deed) { manager.forgetFailures() }
        case .flush: act(deed) { await $0.flush() }
        case .shutDown: act(deed) { _ = await $0.shutdown(within: .seconds(5)) }
        case .waitForDeadline: note(deed) { staged.clock.advance(by: .seconds(60)) }
        }
    }

    private var isQuiet: Bool {
        let (pipeline, manager) = (staged.manager.pipeline, staged.manager)
        return pipeline.pictures.entryCount + pipeline.files.entryCount + pipeline.jobs.entryCount == 0
            && manager.downloader.entryCount == 0 && acts.allSatisfy { !$0.isRunning }
    }

    /// Does something at one moment.
    private func note(_ deed: ModelDeed, _ body: () -> Void) {
        history.change { $0.acts.append(.init(deed: deed, begun: $0.tick())) }
        body()
        history.change { $0.acts[$0.acts.count - 1].ended = $0.tick() }
    }

    /// Begins something in a task.
    private func act(_ deed: ModelDeed, _ body: @escaping @concurrent @Sendable (ImageManager) async throws -> Void) {
        let (history, isQuiet) = (history, isQuiet)
        let number = history.change { state in
            state.acts.append(.init(deed: deed, begun: state.tick(), isQuiet: isQuiet))
            return state.acts.count - 1
        }
        let probe = staged.start { manager in
            var hasFailed = false
            do { try await body(manager) } catch { hasFailed = true }
            history.change { [hasFailed] in ($0.acts[number].ended, $0.acts[number].hasFailed) = ($0.tick(), hasFailed)
            }
        }
        acts.append(probe)
    }

    private func store(_ address: Int) {
        let (history, content) = (history, origin.ownContent(of: address))
        guard let file = try? ModelPictures.file(content) else { return }
        act(.store(address)) { manager in
            let number = history.change { state in
                state.files.append(.init(address: address, content: content, begun: state.tick()))
                return state.files.count - 1
            }
            try await manager.store(file, for: ModelLoad(address).request)
            history.change { $0.files[number].ended = $0.tick() }
        }
    }

    private func cancel(_ place: Int) {
        let running = callers.indices.filter { callers[$0] != nil && history.present.calls[$0].outcome == nil }
        guard place < running.count else { return }
        let number = running[running.count - 1 - place]
        history.change { $0.calls[number].cancelled = $0.tick() }
        callers[number]?.cancel()
    }
}

// MARK: - Calls

extension ModelRun {
    private func call(_ load: ModelLoad) {
        let (history, number) = (
            history,
            history.change { state in
                state.calls.append(.init(load: load))
                return state.calls.count - 1
            }
        )
        if load.kind == .peek {
            let found = staged.manager.peek(load.request)
            history.begin(number)
            history.end(number, found.map { ModelHistory.Outcome.content(ModelPictures.content(of: $0)) } ?? .nothing)
            callers.append(nil)
            return
        }
        callers.append(
            staged.start { manager in
                history.begin(number)
                do {
                    let content = try await Self.content(of: load, from: manager) { event in
                        history.change { $0.calls[number].events.append(event) }
                    }
                    history.end(number, content.map { ModelHistory.Outcome.content($0) } ?? .cancelled)
                } catch let error as ImageLoadError {
                    history.end(number, .failure(error.code))
                } catch {
                    history.end(number, error is CancellationError ? .cancelled : .other("\(error)"))
                }
            })
    }

    /// - Returns: `nil` for a sequence of events that its reader has left.
    @concurrent private static func content(
        of load: ModelLoad, from manager: ImageManager, _ onEvent: @Sendable (ModelHistory.Event) -> Void
    ) async throws -> Int? {
        switch load.kind {
        case .picture, .peek: return ModelPictures.content(of: try await manager.load(load.request).image)
        case .original, .png:
            let format: OutputFormat = load.kind == .png ? .png : .original
            let file = try await manager.encodedImage(for: load.request, as: format)
            return ModelPictures.content(of: file.bytes)
        case .events:
            var content: Int?
            for try await event in manager.events(for: load.request) {
                switch event {
                case .progress(let progress): onEvent(.progress(progress.receivedByteCount))
                case .preview(let image): onEvent(.preview(ImageFactory.seed(of: image)))
                case .cached(let response): onEvent(.cached(ModelPictures.content(of: response.image)))
                case .finished(let response):
                    content = ModelPictures.content(of: response.image)
                    onEvent(.finished(content ?? -1))
                }
            }
            return content
        }
    }
}

extension ModelHistory {
    func begin(_ number: Int) { change { $0.calls[number].begun = $0.tick() } }

    func end(_ number: Int, _ outcome: Outcome) {
        change { state in
            // A second end would be one too many.
            let isFirst = state.calls[number].outcome == nil
            state.calls[number].outcome = isFirst ? outcome : .other("two ends")
            state.calls[number].ended = state.tick()
        }
    }
}
