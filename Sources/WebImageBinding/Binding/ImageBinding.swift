// SPDX-License-Identifier: MIT
/// Loads pictures into the slots of a target.
///
/// A slot has one load. A new load replaces the old one and cancels it, and later events of the old one are dropped: no
/// order of events shows a stale picture on a reused target.
///
/// ```swift
/// final class Cell: ImageTarget {
///     private lazy var pictures = ImageBinding(target: self, loader: manager)
///
///     func present(_ item: Item) { pictures.load(item.pictureURL) }
///     func show(_ picture: DecodedImage?, in slot: ImageSlot, transition: (any ImageTransition)?) { … }
/// }
/// ```
///
/// A picture in memory is shown within the call of `load`, without placeholder and without transition.
///
/// The binding holds the target weakly. After the release of the target, its loads end without a callback: at once when
/// the target owns the binding, or has a ``ImageTarget/life``, and otherwise with its next event or the next report of
/// its gate or its application. The release of the binding cancels its loads.
@MainActor
public final class ImageBinding {
    /// The target that shows the pictures.
    public private(set) weak var target: (any ImageTarget)?
    let loader: any ViewImageLoading
    let clock: any Clock<Duration>
    let application: ApplicationStage
    /// The options of loads that bring none.
    public var defaultOptions = BindingOptions()
    var slots: [ImageSlot: BoundSlot] = [:]
    /// Loads that were replaced and not cancelled; see ``BindingOptions/cancelsPreviousLoad``.
    var replacedLoads: [ObjectIdentifier: BoundLoad] = [:]

    /// Creates a binding.
    ///
    /// - Parameters:
    ///   - target: What shows the pictures. Held weakly.
    ///   - loader: What loads them, usually an `ImageManager`.
    ///   - clock: Tells the time for animations, transitions and indicators.
    ///   - application: Tells when the application leaves the screen and returns.
    public init(
        target: any ImageTarget, loader: any ViewImageLoading, clock: any Clock<Duration> = ContinuousClock(),
        application: ApplicationStage = .shared
    ) {
        self.target = target
        self.loader = loader
        self.clock = clock
        self.application = application
        application.enter(self)
        target.life?.enter(self)
    }

    /// The state of a slot.
    ///
    /// The same object for as long as the binding lives.
    public func state(of slot: ImageSlot = .image) -> SlotState { bound(slot).state }

    /// The picture that a slot shows, if it came from a load and was not replaced.
    public func picture(in slot: ImageSlot = .image) -> BoundPicture? { slots[slot]?.shown?.picture }

    /// The load of a slot, while it is running.
    public func load(of slot: ImageSlot = .image) -> BoundLoad? { slots[slot]?.load }

    /// Whether any slot is waiting for its picture.
    public var isLoading: Bool { !replacedLoads.isEmpty || slots.values.contains { $0.load != nil } }

    /// Sets the indicator of a slot, which shows that a picture is loading.
    ///
    /// - Parameters:
    ///   - indicator: Starts when a load has to wait, stops at its end; `nil` for none.
    ///   - minimumTime: How long it stays once it has appeared, so that it does not flash. Zero by default.
    ///   - slot: The slot.
    public func setIndicator(
        _ indicator: (any ImageIndicator)?, minimumTime: Duration = .zero, for slot: ImageSlot = .image
    ) {
        let bound = bound(slot)
        bound.indicator?.disappear()
        bound.indicator = indicator.map { IndicatorDriver($0, minimumTime: minimumTime, clock: clock) }
        if bound.load?.feed != nil { bound.indicator?.start() }
    }

    /// The loads that have not ended.
    var loads: [BoundLoad] { slots.values.compactMap(\.load) + replacedLoads.values }

    /// The number of subscriptions and replaced loads. For tests.
    var entryCount: Int {
        replacedLoads.count
            + loads.reduce(0) { $0 + ($1.feed == nil ? 0 : 1) + ($1.outgoingFeed == nil ? 0 : 1) }
    }

    func bound(_ slot: ImageSlot) -> BoundSlot {
        if let bound = slots[slot] { return bound }
        let bound = BoundSlot()
        slots[slot] = bound
        return bound
    }

    /// Whether `load` is the one its slot waits for.
    ///
    /// This check alone decides whether an event may reach the target. There is no suspension between the check and the
    /// target.
    func isBound(_ load: BoundLoad) -> Bool { slots[load.slot]?.load === load }

    isolated deinit {
        application.leave(self)
        for load in loads {
            load.close(.cancelled)
            if target != nil { load.options.onEnd?(.cancelled) }
            load.options.group?.leave(load)
        }
    }
}
