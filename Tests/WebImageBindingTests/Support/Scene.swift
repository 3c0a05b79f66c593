// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageBinding
import WebImageTesting

/// A target, its binding, and the loader and the clock behind them.
@MainActor
final class Scene {
    private(set) var loader = ScriptedLoader()
    private(set) var clock = SpyClock()
    private(set) var target = FakeTarget()
    private(set) var binding: ImageBinding
    private(set) var application = ApplicationStage()

    init() {
        binding = ImageBinding(target: target, loader: loader, clock: clock, application: application)
        enter()
    }

    /// Begins anew, for the next step of a test: nothing is loaded or shown.
    func renew() {
        (loader, clock, target, application) = (ScriptedLoader(), SpyClock(), FakeTarget(), ApplicationStage())
        binding = ImageBinding(target: target, loader: loader, clock: clock, application: application)
        enter()
    }

    private func enter() {
        ledger?.enter("bindings") { [weak binding] in binding == nil ? 0 : 1 }
        ledger?.enter("sleepers") { [clock] in clock.sleepers }
    }

    /// The answer to the load that was started last.
    var answer: Answer {
        guard let answer = loader.answers.last else { preconditionFailure("no load has been started") }
        return answer
    }

    /// Loads a picture and answers at once.
    @discardableResult
    func finish(_ index: Int, from source: ImageSource = .network, options: BindingOptions = .init()) async throws
        -> LoadOutcome
    {
        let load = binding.load(url(index), options: options)
        answer.finish(picture(index), from: source)
        return try await load.outcome
    }
}

/// Lets the main actor do other work until a condition holds.
///
/// The time limit of the suite ends a wait that fails.
@MainActor
func until(_ location: SourceLocation = #_sourceLocation, _ holds: @MainActor () -> Bool) async {
    while !holds() {
        guard !Task.isCancelled else {
            Issue.record("The condition never held.", sourceLocation: location)
            return
        }
        await Task.yield()
    }
}

@MainActor
func options(_ change: (inout BindingOptions) -> Void) -> BindingOptions {
    var options = BindingOptions()
    change(&options)
    return options
}

/// The callbacks of a load, in order.
@MainActor
final class Heard {
    var words: [String] = []

    func options(_ name: String = "", _ change: (inout BindingOptions) -> Void = { _ in }) -> BindingOptions {
        var options = BindingOptions()
        options.onProgress = { self.words.append("\(name)\($0.receivedByteCount)") }
        options.onPicture = { self.words.append("\(name)\($0.stage) \($0.image.index)") }
        options.onEnd = { self.words.append("\(name)\($0.word)") }
        change(&options)
        return options
    }
}

extension LoadOutcome {
    var word: String {
        switch self {
        case .finished: "finished"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .noRequest: "noRequest"
        }
    }
}
