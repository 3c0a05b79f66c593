// SPDX-License-Identifier: MIT
import TaskCoordination

/// One load of one slot: a handle to wait for its end, or to cancel it.
///
/// The load continues without its handle.
@MainActor
public final class BoundLoad {
    /// The request; `nil` when there was no URL.
    public let request: ImageRequest?
    /// The slot that shows the picture.
    public let slot: ImageSlot

    let options: BindingOptions
    weak var binding: ImageBinding?
    /// The subscription at the present priority.
    var feed: Feed?
    /// The subscription at the earlier priority. It is kept until the first event of the present one, so that the
    /// flight that both share always has a caller.
    var outgoingFeed: Feed?
    /// Whether the final picture or the failure has arrived, and the load only waits for a transition or a group.
    var hasLanded = false
    /// Whether the cached picture that is being refreshed has been delivered.
    var hasCachedPicture = false

    /// Waits for the end of the transition.
    ///
    /// Owned like ``Feed/task``.
    var transition: PacedTask?
    /// The time in the background that it has asked for, while it needs the loader.
    var backgroundTime: BackgroundTime?
    private let ending = Watched<LoadOutcome?>(nil)

    init(_ request: ImageRequest?, slot: ImageSlot, options: BindingOptions, binding: ImageBinding) {
        self.request = request
        self.slot = slot
        self.options = options
        self.binding = binding
    }

    /// How the load ended.
    ///
    /// **Cancellation**: cancelling the waiting task ends the wait, not the load.
    ///
    /// - Throws: `CancellationError` when the waiting task is cancelled, and only then.
    public var outcome: LoadOutcome {
        get async throws(CancellationError) {
            guard let outcome = await ending.answer(to: { $0 }) else { throw CancellationError() }
            return outcome
        }
    }

    /// How the load ended, `nil` until then.
    package var currentOutcome: LoadOutcome? { ending.value }

    /// Cancels the load.
    ///
    /// Does nothing when it has ended.
    public func cancel() { binding?.end(self, .cancelled) }

    var hasEnded: Bool { ending.value != nil }
    /// Whether the load still needs the loader.
    var isReceiving: Bool { !hasEnded && !hasLanded }

    func listens(to feed: Feed) -> Bool { feed === self.feed || feed === outgoingFeed }

    func stopFeeds() {
        feed?.stop()
        outgoingFeed?.stop()
        feed = nil
        outgoingFeed = nil
        backgroundTime = nil
    }

    /// Ends the load for all tasks that wait for it.
    ///
    /// The binding makes the callbacks.
    func close(_ outcome: LoadOutcome) {
        stopFeeds()
        transition?.cancel()
        ending.change { $0 = $0 ?? outcome }
    }
}

/// One subscription to the loader, and the task that reads it.
///
/// Usually a load has one. It has two while its priority changes, see ``ImageBinding/targetVisibilityChanged()``.
@MainActor
final class Feed {
    let priority: ImagePriority

    /// The load that gets the pictures.
    ///
    /// Another load of the same picture in the same slot may take it over.
    weak var load: BoundLoad?

    /// Reads the events.
    ///
    /// Unstructured because the call that starts a load returns before it ends; the load owns it, its end cancels it,
    /// and ``BoundLoad/outcome`` awaits its result.
    var task: Task<Void, Never>?

    /// What tells the manager that the subscription continues an earlier one.
    let token: Shared<Void>

    /// - Parameter token: That of the subscription which this one continues.
    init(priority: ImagePriority, load: BoundLoad, token: Shared<Void>?) {
        self.priority = priority
        self.load = load
        self.token = token ?? Shared(())
    }

    func stop() {
        load = nil
        task?.cancel()
    }
}

/// The state of one slot of a binding.
@MainActor
final class BoundSlot {
    let state = SlotState()
    var load: BoundLoad?
    var indicator: IndicatorDriver?
    /// The picture on display, when it came from a load, and the options with which it is loaded again.
    private(set) var shown:
        (identity: PictureIdentity, request: ImageRequest, options: BindingOptions, picture: BoundPicture)?
    private(set) var player: FramePlayer?
    /// How the picture that the slot has given back is loaded again; `nil` when it shows what it should, or the program
    /// has loaded another since.
    var released: (request: ImageRequest, options: BindingOptions)?

    /// Calls the end of a transition whose load has ended.
    ///
    /// Owned by the slot; a new load or a cancel drops it.
    var transition: PacedTask?

    func display(_ picture: BoundPicture, of request: ImageRequest, _ options: BindingOptions) {
        contentChanges()
        shown = (PictureIdentity(request), request, options.forLoadingAgain, picture)
        if picture.stage == .final { released = nil }
    }

    /// Gives the picture on display back.
    ///
    /// - Returns: Whether there was one.
    func release() -> Bool {
        guard load == nil, let shown else { return false }
        released = (shown.request, shown.options)
        contentChanges()
        return true
    }

    func play(_ player: FramePlayer) {
        self.player = player
        player.run()
    }

    /// Forgets the picture on display, because another one, or none, is about to replace it.
    func contentChanges() {
        player?.stop()
        player = nil
        shown = nil
        transition = nil
    }

    isolated deinit { load?.close(.cancelled) }
}
