// SPDX-License-Identifier: MIT
import HTTPTransport
import Locks

/// The beginning of a body, as far as it had arrived at one moment. It never changes.
///
/// A reference to what the transfer keeps: every caller of the transfer has the same bytes, and until they are read
/// they cost nothing. They are as the origin sent them, before a ``BodyTransformer``.
public struct ReceivedBytes: Sendable {
    /// The number of bytes.
    public let count: Int
    private let body: ArrivingBody

    init(_ body: ArrivingBody, count: Int) {
        self.body = body
        self.count = count
    }

    /// Makes previews of the transfer; `nil` when it has ended.
    var previews: PreviewMaker? { body.previews }

    /// The bytes in the blocks in which the transfer keeps them, without a copy but for the last block.
    ///
    /// - Complexity: O(number of blocks), and at most one block is copied.
    public var blocks: [[UInt8]] {
        var (rest, blocks) = (count, [[UInt8]]())
        for block in body.blocks where rest > 0 {
            blocks.append(block.count <= rest ? block : Array(block.prefix(rest)))
            rest -= min(rest, block.count)
        }
        return blocks
    }

    /// The bytes in one array.
    ///
    /// - Complexity: O(`count`).
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for block in blocks { bytes.append(contentsOf: block) }
        return bytes
    }
}

/// A body while its transfer collects it.
final class ArrivingBody: Sendable {
    private let collector: Mutex<BodyCollector>
    private let previewing = Mutex(Previewing.notYet)

    private enum Previewing {
        /// No caller has wanted previews.
        case notYet
        case by(PreviewMaker)
        case over
    }

    init(expecting byteCount: Int?) { collector = Mutex(BodyCollector(expecting: byteCount)) }

    /// Appends a chunk.
    ///
    /// - Returns: The number of bytes so far.
    func append(_ chunk: [UInt8]) -> Int {
        collector.withLock { collector in
            collector.append(chunk)
            return collector.count
        }
    }

    /// The first bytes, for the detection of the format.
    var beginning: [UInt8] { collector.withLock { $0.beginning } }

    var blocks: [[UInt8]] { collector.withLock { $0.blocks } }

    /// Makes previews for all callers of the transfer; `nil` when it has ended. A caller may hear its last report later
    /// than that, and nothing would end what it began.
    var previews: PreviewMaker? {
        previewing.withLock { previewing in
            switch previewing {
            case .by(let maker): return maker
            case .over: return nil
            case .notYet:
                let maker = PreviewMaker()
                previewing = .by(maker)
                return maker
            }
        }
    }

    /// Ends the previews: the transfer is over.
    func endPreviews() {
        let ended = previewing.withLock { previewing in
            defer { previewing = .over }
            return previewing
        }
        if case .by(let maker) = ended { maker.end() }
    }

    /// Ends the body.
    ///
    /// - Returns: Its bytes.
    func finish() -> [UInt8] { collector.withLock { $0.finish() } }
}
