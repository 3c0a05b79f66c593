// SPDX-License-Identifier: MIT
import Foundation
import Locks
import TestSupport
import WebImageTesting

@testable import WebImage
@testable import WebImageBinding

/// A loader with memory and answers from the test.
final class ScriptedLoader: ViewImageLoading {
    private struct State {
        var memory: [URL: DecodedImage] = [:]
        var anySize: [URL: DecodedImage] = [:]
        var answers: [Answer] = []
        var stubborn: [@Sendable () async -> ImageResponse] = []
    }

    private let state = Mutex(State())

    init() { ledger?.enter("subscriptions") { [self] in open.count } }

    var answers: [Answer] { state.withLock { $0.answers } }
    /// The answers that a load still waits for.
    var open: [Answer] { answers.filter { !$0.hasEnded } }

    func remember(_ picture: DecodedImage, for url: URL) { state.withLock { $0.memory[url] = picture } }

    func forget(_ url: URL) { state.withLock { $0.memory[url] = nil } }

    func rememberAnySize(_ picture: DecodedImage, for url: URL) { state.withLock { $0.anySize[url] = picture } }

    func peekAnySize(_ request: ImageRequest) -> DecodedImage? { state.withLock { $0.anySize[request.url] } }

    /// Makes the next load ignore its cancellation.
    func answerStubbornly(_ body: @escaping @Sendable () async -> ImageResponse) {
        state.withLock { $0.stubborn.append(body) }
    }

    func peek(_ request: ImageRequest) -> DecodedImage? { state.withLock { $0.memory[request.url] } }

    func events(for request: ImageRequest) -> AsyncThrowingStream<ImageEvent, any Error> {
        let (events, continuation) = AsyncThrowingStream.makeStream(of: ImageEvent.self)
        let answer = Answer(request, continuation)
        let stubborn = state.withLock { state in
            state.answers.append(answer)
            return state.stubborn.isEmpty ? nil : state.stubborn.removeFirst()
        }
        guard let stubborn else { return events }
        let turns = Turns()
        return AsyncThrowingStream { turns.isFirst() ? .finished(await stubborn()) : nil }
    }
}

/// The answers of a loader to one load.
final class Answer: Sendable {
    let request: ImageRequest
    private let continuation: AsyncThrowingStream<ImageEvent, any Error>.Continuation
    private let end = Mutex<AsyncThrowingStream<ImageEvent, any Error>.Continuation.Termination?>(nil)

    init(_ request: ImageRequest, _ continuation: AsyncThrowingStream<ImageEvent, any Error>.Continuation) {
        self.request = request
        self.continuation = continuation
        continuation.onTermination = { [weak self] termination in self?.end.withLock { $0 = termination } }
    }

    var hasEnded: Bool { end.withLock { $0 != nil } }
    var wasLeft: Bool { end.withLock { if case .cancelled? = $0 { true } else { false } } }

    func send(_ event: ImageEvent) { continuation.yield(event) }

    func progress(_ received: Int, of expected: Int?) {
        let bytes = ReceivedBytes(ArrivingBody(expecting: nil), count: received)
        send(.progress(LoadProgress(receivedByteCount: received, expectedByteCount: expected, received: bytes)))
    }

    func finish(_ picture: DecodedImage, from source: ImageSource = .network) {
        continuation.yield(.finished(response(picture, source)))
        continuation.finish()
    }

    func fail(_ error: any Error = ImageLoadError(code: .transferFailed, message: "The script says so.")) {
        continuation.finish(throwing: error)
    }
}

private final class Turns: Sendable {
    private let taken = Mutex(false)

    func isFirst() -> Bool {
        taken.withLock { taken in
            defer { taken = true }
            return !taken
        }
    }
}

func response(_ picture: DecodedImage, _ source: ImageSource = .network) -> ImageResponse {
    ImageResponse(image: picture, format: .png, source: source, original: nil, metrics: LoadMetrics())
}
