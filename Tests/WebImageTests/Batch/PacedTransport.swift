// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import Locks
import TaskCoordination
import TestSupport
import WebImageTesting

@testable import WebImage

/// Holds every request until the test answers it, or until it is cancelled.
final class PacedTransport: HTTPLoading {
    private struct Held {
        let number: Int
        let turn: OneShot<Bool>
    }

    private struct State {
        var asked: [Int] = []
        var cancelled: [Int] = []
        var held: [Held] = []
        var peak = 0
        var isOpen = false
    }

    private let state = Mutex(State())
    private let answer: StubTransport.Answer

    init(_ answer: @escaping StubTransport.Answer = HTTPResponse.keptPicture) { self.answer = answer }

    /// The requested pictures, in order.
    var asked: [Int] { state.withLock { $0.asked } }
    /// The pictures whose transfer was cancelled.
    var cancelled: [Int] { state.withLock { $0.cancelled } }
    /// The pictures that wait for their response.
    var held: [Int] { state.withLock { $0.held.map(\.number) } }
    /// The largest number of requests held at once.
    var peak: Int { state.withLock { $0.peak } }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let number = Int(request.url.deletingPathExtension().lastPathComponent) ?? -1
        let turn = OneShot<Bool>()
        let isOpen = state.withLock { state in
            state.asked.append(number)
            if !state.isOpen { state.held.append(Held(number: number, turn: turn)) }
            state.peak = max(state.peak, state.held.count)
            return state.isOpen
        }
        let isAnswered = if isOpen { true } else { await turn.wait(onCancel: false) }
        guard isAnswered else {
            state.withLock { state in
                state.held.removeAll { $0.turn === turn }
                state.cancelled.append(number)
            }
            throw CancellationError()
        }
        return try answer(request)
    }

    /// Answers one held request for this picture, or the oldest one.
    func release(_ number: Int? = nil) {
        let held = state.withLock { state -> Held? in
            guard let place = state.held.firstIndex(where: { $0.number == number ?? $0.number }) else { return nil }
            return state.held.remove(at: place)
        }
        held?.turn.resolve(true)
    }

    /// Answers every request, the waiting and all later ones.
    func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for request in held { request.turn.resolve(true) }
    }

    func shutdown() async {}
}

/// A manager over a paced transport. Every job runs on one seeded executor.
struct PacedScenario {
    let executor: SeededExecutor
    let transport: PacedTransport
    let manager: ImageManager

    init(
        seed: UInt64, downloads: Int = 100, answer: @escaping StubTransport.Answer = HTTPResponse.keptPicture
    ) {
        executor = SeededExecutor(seed: seed)
        transport = PacedTransport(answer)
        var configuration = ImageManager.Configuration.unchanged
        configuration.downloader.maximumConcurrentDownloads = downloads
        manager = .seeded(on: executor, transport, configuration)
        ledger?.enter("answers") { [transport] in transport.held.count }
    }

    /// Runs `body`, which must end without another event.
    @discardableResult
    func run<T: Sendable>(_ body: @escaping @concurrent @Sendable () async throws -> T) -> T? {
        let probe = Probe(on: executor, body)
        executor.drain()
        return probe.value
    }

    func load(_ number: Int, priority: ImagePriority = .normal) -> Probe<ImageResponse> {
        let manager = manager
        var request = ImageRequest.numbered(number)
        request.priority = priority
        return Probe(on: executor) { [request] in try await manager.load(request) }
    }

    /// The number of the manager's flights.
    var flights: Int? {
        let manager = manager
        return run { manager.pipeline.pictures.count + manager.downloader.count }
    }
}

extension StubTransport {
    /// Pictures, but 404 for these numbers.
    static func picture(missing: Set<Int>) -> Answer {
        { request in
            let number = Int(request.url.deletingPathExtension().lastPathComponent) ?? -1
            if missing.contains(number) { return HTTPResponse(status: 404, url: request.url) }
            return try .keptPicture(for: request)
        }
    }
}

extension HTTPResponse {
    /// Made once, because drawing would take most of the time of hundreds of seeds.
    private static let kept = Mutex<[URL: HTTPBody]>([:])

    static func keptPicture(for request: HTTPRequest) throws -> HTTPResponse {
        if let body = kept.withLock({ $0[request.url] }) {
            return HTTPResponse(status: 200, url: request.url, body: body)
        }
        let response = try picture(for: request)
        kept.withLock { $0[request.url] = response.body }
        return response
    }
}
