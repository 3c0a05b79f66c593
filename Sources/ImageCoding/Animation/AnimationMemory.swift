// SPDX-License-Identifier: MIT
import Locks

/// The memory of the frames that players keep ready, of all animations of the process, and of the canvases on which
/// they are drawn, but for the first one of each: that is part of the picture.
///
/// Within the limit the readers of an ``AnimationPlayer`` at one place have the frames that
/// ``AnimationPlayer/Configuration/bufferedFrameCount`` says, and those at further places too as long as all frames
/// take at most 16 MiB together; otherwise a reader has only the one that it shows.
public final class AnimationMemory: Sendable {
    /// The memory of the process.
    public static let shared = AnimationMemory()

    fileprivate struct State {
        var limit = 128 << 20
        var divisor = 1
        var used = 0
        var holders: [ObjectIdentifier: WeakHolder] = [:]
    }

    fileprivate struct WeakHolder: Sendable { weak let buffer: FrameBuffer? }

    private let state = Mutex(State())

    /// Creates a memory of its own, for tests.
    init() {}

    /// The bytes up to which frames are made ahead of their readers; 128 MiB by default.
    public var byteLimit: Int {
        get { state.withLock { $0.limit } }
        set { state.withLock { $0.limit = newValue } }
    }

    /// The bytes of the frames that are kept ready now, and of the canvases.
    public var byteCount: Int { state.withLock { $0.used } }

    /// Keeps a part of the limit until the next call, as memory becomes scarce.
    ///
    /// - Parameter divisor: 1 for the whole limit. Above 1, the frames that are ready and the canvases that are not
    ///   used are given back at once.
    public func reduce(by divisor: Int) {
        let holders = state.withLock { state in
            state.divisor = max(divisor, 1)
            return divisor > 1 ? Array(state.holders.values) : []
        }
        for holder in holders { holder.buffer?.releaseMemory() }
    }

    /// The number of animations that have or had readers.
    var bufferCount: Int { state.withLock { $0.holders.count } }

    /// Whether there is room for frames that are not needed yet.
    var hasRoom: Bool { state.withLock { $0.used < $0.limit / $0.divisor } }

    /// Counts frames or canvases.
    func note(_ change: Int) {
        if change != 0 { state.withLock { $0.used += change } }
    }

    func join(_ buffer: FrameBuffer) {
        state.withLock { $0.holders[ObjectIdentifier(buffer)] = WeakHolder(buffer: buffer) }
    }

    func leave(_ buffer: FrameBuffer) {
        state.withLock { _ = $0.holders.removeValue(forKey: ObjectIdentifier(buffer)) }
    }
}
