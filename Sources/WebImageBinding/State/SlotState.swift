// SPDX-License-Identifier: MIT
public import Observation
public import PlatformBasics

/// The observable state of one slot of a binding.
///
/// One object for each slot, the same for as long as the binding lives.
@MainActor
@Observable
public final class SlotState {
    /// The phase of a slot.
    public enum Phase: Sendable {
        /// Nothing was loaded, or the load was cancelled.
        case idle
        /// A load is running.
        case loading
        /// The load ended with a picture.
        case finished
        /// The load ended with an error.
        case failed(any Error)
    }

    /// The address of the load that is running or ended last; `nil` before the first and when there was nothing to
    /// load.
    public internal(set) var url: URL?
    /// The phase of the slot.
    public internal(set) var phase: Phase = .idle
    /// The bytes that have arrived; `nil` before the first report. After the load it has their numbers alone.
    public internal(set) var progress: LoadProgress?

    /// The part that has arrived, 0 to 1.
    ///
    /// It is 0 while the length is unknown and 1 when the load has finished.
    public internal(set) var fraction: Double = 0
    /// How long the transfer still takes at the speed that it has had since its first report; `nil` while that is
    /// unknown, and after the load.
    public internal(set) var timeRemaining: Duration?
    /// Where the picture of the running or last load came from.
    public internal(set) var source: ImageSource?

    /// The part that had arrived at the first report of the transfer, and the time since then.
    @ObservationIgnored private var first: (fraction: Double, watch: Stopwatch)?

    init() {}

    /// Whether a load is running.
    public var isLoading: Bool {
        if case .loading = phase { true } else { false }
    }

    func start(_ url: URL?) {
        self.url = url
        phase = .loading
        progress = nil
        fraction = 0
        timeRemaining = nil
        first = nil
        source = nil
    }

    func report(_ progress: LoadProgress, _ clock: any Clock<Duration>) {
        self.progress = progress
        guard let fraction = progress.fraction else { return }
        let isAnew = fraction < self.fraction
        self.fraction = fraction
        guard !isAnew, let first, first.fraction < fraction else {
            // The first report, also of a transfer that begins anew.
            first = (fraction, Stopwatch(clock))
            timeRemaining = nil
            return
        }
        // A length that an origin has made up is no reason to trap.
        timeRemaining = first.watch.elapsed * min((1 - fraction) / (fraction - first.fraction), 1_000_000_000)
    }

    func end(_ outcome: LoadOutcome) {
        timeRemaining = nil
        // The numbers stay; the bytes belong to the load.
        progress?.received = nil
        switch outcome {
        case .finished(let picture):
            phase = .finished
            source = picture.source
            fraction = 1
        case .failed(let error): phase = .failed(error)
        case .cancelled, .noRequest: phase = .idle
        }
    }
}
