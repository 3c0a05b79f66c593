// SPDX-License-Identifier: MIT
/// Where the application is, for the bindings of its views: in use, inactive, or off the screen.
///
/// On Apple platforms `ApplicationObserver` reports to ``shared``; elsewhere the program does.
///
/// | report | what bindings do |
/// |---|---|
/// | ``resignActive()`` | animations stand still |
/// | ``becomeActive()`` | animations go on |
/// | ``releasePictures()`` | hidden targets give their pictures back |
/// | ``enterForeground()`` | what was given back is loaded again |
///
/// What a hidden target gave back is also loaded again when it appears. What fails to come back is tried again at the
/// next of both.
@MainActor
public final class ApplicationStage {
    /// The stage of the bindings that name no other.
    public static let shared = ApplicationStage()

    /// Whether the application is in use, so that animations play. `true` until it resigns.
    public private(set) var isActive = true {
        didSet { if isActive != oldValue { bindings.forEach { $0.applicationChanged() } } }
    }

    /// Grants time to loads with ``BindingOptions/continuesInBackground``. `nil`, the default, where nothing suspends
    /// the application.
    public var backgroundTime: (any BackgroundTiming)?

    private var entries: [ObjectIdentifier: () -> ImageBinding?] = [:]

    /// Creates a stage, for tests, and for a program with several.
    public init() {}

    /// The bindings that report here, in no order.
    private var bindings: [ImageBinding] { entries.values.compactMap { $0() } }

    /// The number of bindings. For tests.
    var entryCount: Int { entries.count }

    /// How long the application still runs in the background; `nil` for without end, and while it is on the screen.
    public var timeRemaining: Duration? { backgroundTime?.timeRemaining }

    /// Stops the animations of all bindings.
    public func resignActive() { isActive = false }

    /// Lets the animations of visible targets go on.
    public func becomeActive() { isActive = true }

    /// Empties the slots of hidden targets: memory is short, or the application has left the screen.
    ///
    /// Slots whose load still runs keep what they show.
    public func releasePictures() { bindings.forEach { $0.releasePictures() } }

    /// Loads again what ``releasePictures()`` took, with the options of the first load and without its callbacks.
    public func enterForeground() { bindings.forEach { $0.loadReleased() } }

    func enter(_ binding: ImageBinding) { entries[ObjectIdentifier(binding)] = { [weak binding] in binding } }

    func leave(_ binding: ImageBinding) { entries[ObjectIdentifier(binding)] = nil }
}

/// A system that suspends applications in the background, and grants them time before.
@MainActor
public protocol BackgroundTiming {
    /// The time until the application is suspended; `nil` while that is unknown or far away.
    var timeRemaining: Duration? { get }

    /// Asks for time.
    ///
    /// - Parameters:
    ///   - name: What it is for.
    ///   - onEnd: Called when the time is over, unless it was given back before.
    /// - Returns: A number to give the time back with; `nil` when there is none.
    func begin(_ name: String, onEnd: @escaping @MainActor @Sendable () -> Void) -> Int?

    /// Gives time back. Every time that began is given back once, also when it is over.
    func end(_ number: Int)
}

/// Time in the background, given back with its last reference.
@MainActor
final class BackgroundTime {
    private let source: any BackgroundTiming
    private var number: Int?

    init(_ name: String, _ source: any BackgroundTiming, onEnd: @escaping @MainActor () -> Void = {}) {
        self.source = source
        number = source.begin(name) { [weak self] in
            onEnd()
            self?.end()
        }
    }

    func end() {
        guard let number = number.take() else { return }
        source.end(number)
    }

    isolated deinit { end() }
}
