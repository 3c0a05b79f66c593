// SPDX-License-Identifier: MIT
import Locks

@testable import WebImage

/// What has happened to a manager, its callers and its origin, in one order of time.
final class ModelHistory: Sendable {
    /// A request that the origin has read.
    struct Transfer: Sendable {
        let address: Int
        let time: Int
        /// The content that it has answered with, or has confirmed; `nil` for a failure.
        let content: Int?
        let fault: OriginFault
    }

    /// A content that the program has stored itself.
    struct OwnFile: Sendable {
        let address: Int
        let content: Int
        let begun: Int
        var ended: Int?
    }

    /// What a caller has seen of one call.
    struct Call: Sendable {
        let load: ModelLoad
        /// When it was made; `nil` before.
        var begun: Int?
        var ended: Int?
        var cancelled: Int?
        var outcome: Outcome?
        var events: [Event] = []

        /// Whether it was open at some time of a period.
        func isOpen(in period: ClosedRange<Int>) -> Bool {
            guard let begun else { return false }
            return begun <= period.upperBound && (ended ?? .max) >= period.lowerBound
        }
    }

    enum Outcome: Sendable, Equatable {
        case content(Int)
        case failure(ImageLoadError.Code)
        case cancelled
        /// A look that finds nothing.
        case nothing
        /// Anything else, which no caller may see.
        case other(String)
    }

    enum Event: Sendable, Equatable {
        case progress(Int)
        case preview(Int?)
        case cached(Int)
        case finished(Int)
    }

    /// Something that is done to the manager or around it.
    struct Act: Sendable {
        let deed: ModelDeed
        let begun: Int
        var ended: Int?
        /// Whether nothing was under way when it began.
        var isQuiet = false
        var hasFailed = false
    }

    struct State: Sendable {
        var time = 0
        var transfers: [Transfer] = []
        var files: [OwnFile] = []
        var calls: [Call] = []
        var acts: [Act] = []

        mutating func tick() -> Int {
            time += 1
            return time
        }
    }

    private let state = Mutex(State())

    var present: State { state.withLock { $0 } }

    func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }
}
