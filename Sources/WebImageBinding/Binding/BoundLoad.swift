/// One load of one slot: a handle to wait for its end, or to cancel it.
///
/// The load goes on whether or not anybody keeps the handle.
@MainActor
public final class BoundLoad {
    /// What is loaded; nil when there was no URL.
    public let request: ImageRequest?
    /// Where the picture goes.
    public let slot: ImageSlot

    let options: BindingOptions
    weak var binding: ImageBinding?
    /// The subscription at the present priority.
    var feed: Feed?
    /// The subscription at the priority before, kept until the present one has spoken, so that the shared work below
    /// is never without a caller.
    var outgoingFeed: Feed?
    /// Whether the final picture, or the failure, is there and only a transition or a group is waited for.
    var hasLanded = false
    /// Whether the cached picture that is being refreshed has been handed out.
    var hasCachedPicture = false

    /// Waits for the end of the transition.
    ///
    /// Owned like ``Feed/task``.
    var transition: Task<Void, Never>?
    private let ending = EndSignal<LoadOutcome>()

    init(_ request: ImageRequest?, slot: ImageSlot, options: BindingOptions, binding: ImageBinding) {
        self.request = request
        self.slot = slot
        self.options = options
        self.binding = binding
    }

    /// How the load ended.
    ///
    /// **Cancellation**: cancelling the task that waits ends the waiting, not the load.
    ///
    /// - Throws: `CancellationError` when the waiting task is cancelled, and only then.
    public var outcome: LoadOutcome {
        get async throws(CancellationError) { try await ending.wait() }
    }

    /// How the load ended, nil as long as it has not.
    public var currentOutcome: LoadOutcome? { ending.value }

    /// Cancels the load.
    ///
    /// Does nothing when it has ended.
    public func cancel() { binding?.end(self, .cancelled) }

    var hasEnded: Bool { ending.value != nil }
    /// Whether the loader is, or will be, asked for the picture.
    var isReceiving: Bool { !hasEnded && !hasLanded }

    func listens(to feed: Feed) -> Bool { feed === self.feed || feed === outgoingFeed }

    func stopFeeds() {
        feed?.stop()
        outgoingFeed?.stop()
        feed = nil
        outgoingFeed = nil
    }

    /// Ends the load for everybody who waits for it.
    ///
    /// Callbacks are the binding's business.
    func close(_ outcome: LoadOutcome) {
        stopFeeds()
        transition?.cancel()
        ending.resolve(outcome)
    }
}
