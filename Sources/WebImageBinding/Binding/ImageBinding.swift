/// Loads pictures into the slots of a target.
///
/// A slot has one load. A new load takes the place of the old one and cancels it, and whatever the old one still
/// delivers is dropped: no order of events puts a stale picture on a reused target.
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
/// A picture in memory is shown within the call that asks for it, without placeholder and without transition.
///
/// The target is held weakly. When it is gone, a load ends with its next event and nobody is called; when the binding
/// is gone, its loads are cancelled.
@MainActor
public final class ImageBinding {
    /// What shows the pictures.
    public private(set) weak var target: (any ImageTarget)?
    let loader: any ViewImageLoading
    let clock: any Clock<Duration>
    var slots: [ImageSlot: BoundSlot] = [:]
    /// Loads that were replaced and not cancelled; see ``BindingOptions/cancelsPreviousLoad``.
    var replacedLoads: [ObjectIdentifier: BoundLoad] = [:]

    /// Creates a binding.
    ///
    /// - Parameters:
    ///   - target: What shows the pictures. Held weakly.
    ///   - loader: What loads them, usually an `ImageManager`.
    ///   - clock: Tells the time for animations, transitions and indicators.
    public init(target: any ImageTarget, loader: any ViewImageLoading, clock: any Clock<Duration> = ContinuousClock()) {
        self.target = target
        self.loader = loader
        self.clock = clock
    }

    /// What a slot is doing.
    ///
    /// The same object for as long as the binding lives.
    public func state(of slot: ImageSlot = .image) -> SlotState { bound(slot).state }

    /// The picture a slot shows, when it came from a load and nothing has taken its place.
    public func picture(in slot: ImageSlot = .image) -> BoundPicture? { slots[slot]?.shown?.picture }

    /// The load of a slot, while it is running.
    public func load(of slot: ImageSlot = .image) -> BoundLoad? { slots[slot]?.load }

    /// Whether any slot is waiting for its picture.
    public var isLoading: Bool { !replacedLoads.isEmpty || slots.values.contains { $0.load != nil } }

    /// Sets what shows that a slot's picture is on its way.
    ///
    /// - Parameters:
    ///   - indicator: Starts when a load has to wait, stops at its end; nil for none.
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

    /// How many subscriptions and replaced loads there are. Told to tests.
    var entryCount: Int {
        let loads = slots.values.compactMap(\.load) + replacedLoads.values
        return replacedLoads.count
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
    /// The only test that decides whether something may reach the target; between it and the target there is never a
    /// suspension.
    func isBound(_ load: BoundLoad) -> Bool { slots[load.slot]?.load === load }

    isolated deinit {
        for load in slots.values.compactMap(\.load) + replacedLoads.values {
            load.close(.cancelled)
            if target != nil { load.options.onEnd?(.cancelled) }
            load.options.group?.leave(load)
        }
    }
}
