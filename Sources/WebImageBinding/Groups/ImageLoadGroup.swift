// SPDX-License-Identifier: MIT
import TaskCoordination

/// Loads that end together: each is held until all of them have a result.
///
/// ```swift
/// let group = ImageLoadGroup(showsTogether: true) { group in
///     var options = BindingOptions()
///     options.group = group
///     button.load(up, into: .image, options: options)
///     button.load(down, into: .image(for: .highlighted), options: options)
/// }
/// let outcomes = try await group.outcomes
/// ```
///
/// A load that is cancelled or replaced ends at once and does not delay the others.
@MainActor
public final class ImageLoadGroup {
    /// Whether the pictures of the group appear in one turn of the main actor, instead of each when it arrives.
    public let showsTogether: Bool

    private var members: [BoundLoad] = []
    private var held: [ObjectIdentifier: @MainActor () -> Void] = [:]
    private var left: Set<ObjectIdentifier> = []
    private var isOpen = true
    private var isReleased = false
    private let ending = Watched<[LoadOutcome]?>(nil)

    /// Creates a group of the loads that `start` starts with this group among their options.
    ///
    /// - Parameters:
    ///   - showsTogether: Whether the pictures appear in one turn. `false` by default.
    ///   - start: Starts the loads. A load that names the group later is not held.
    public init(showsTogether: Bool = false, _ start: (ImageLoadGroup) -> Void) {
        self.showsTogether = showsTogether
        start(self)
        isOpen = false
        releaseIfComplete()
    }

    /// How the loads ended, in the order in which they were started.
    ///
    /// - Throws: `CancellationError` when the waiting task is cancelled, and only then.
    public var outcomes: [LoadOutcome] {
        get async throws(CancellationError) {
            guard let outcomes = await ending.answer(to: { $0 }) else { throw CancellationError() }
            return outcomes
        }
    }

    /// How the loads ended, `nil` until the last end.
    package var currentOutcomes: [LoadOutcome]? { ending.value }

    /// The number of loads kept. For tests.
    var entryCount: Int { members.count + held.count }

    func enter(_ load: BoundLoad) {
        if isOpen { members.append(load) }
    }

    /// Whether the group does not hold `load`, or no longer holds it.
    func hasReleased(_ load: BoundLoad) -> Bool {
        isReleased || !members.contains { $0 === load }
    }

    /// Keeps the rest of the work for `load` until all loads have a result.
    func hold(_ load: BoundLoad, _ rest: @escaping @MainActor () -> Void) {
        guard !hasReleased(load) else { return rest() }
        held[ObjectIdentifier(load)] = rest
        releaseIfComplete()
    }

    /// Notes that `load` has ended.
    func leave(_ load: BoundLoad) {
        guard members.contains(where: { $0 === load }) else { return }
        held[ObjectIdentifier(load)] = nil
        left.insert(ObjectIdentifier(load))
        releaseIfComplete()
    }

    private func releaseIfComplete() {
        guard !isOpen else { return }
        if !isReleased, members.allSatisfy({ isThere($0) }) {
            isReleased = true
            // A callback of one member may end another one, so each is looked up in its turn.
            for member in members { held.removeValue(forKey: ObjectIdentifier(member))?() }
        }
        guard isReleased, left.count == members.count, ending.value == nil else { return }
        let outcomes = members.compactMap(\.currentOutcome)
        ending.change { $0 = outcomes }
        members = []
    }

    private func isThere(_ load: BoundLoad) -> Bool {
        held[ObjectIdentifier(load)] != nil || left.contains(ObjectIdentifier(load))
    }
}
