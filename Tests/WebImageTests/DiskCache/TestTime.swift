import Synchronization

@testable import WebImage

/// The time since 1970, as a test wants it.
///
/// Begins near the real one, as files carry real dates.
final class TestTime: Sendable {
    private let time = Mutex(DiskCache.Configuration.systemTime())

    var now: Duration { time.withLock { $0 } }

    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
