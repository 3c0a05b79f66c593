// SPDX-License-Identifier: MIT
@testable import WebImage

// Ends without a picture.

extension ManagerModel {
    func hasShutDown(before time: Int) -> Bool {
        history.acts.contains { $0.deed == .shutDown && ($0.ended ?? .max) < time }
    }

    func mayFail(_ code: ImageLoadError.Code, _ call: ModelHistory.Call, _ time: ClosedRange<Int>) -> Bool {
        let address = call.load.address
        switch code {
        case .shutDown: return history.acts.contains { $0.deed == .shutDown && $0.begun <= time.upperBound }
        case .notInCache: return call.load.policy == .onlyIfCached && !mustBeHeld(call, time)
        case .recentlyFailed:
            let forgotten = history.acts.filter { act in
                guard let ended = act.ended, ended < time.lowerBound else { return false }
                return act.deed == .forgetFailures
            }
            let start = forgotten.map { shared(call, $0.begun) }.max() ?? 0
            return !call.load.retriesFailed
                && transfers(of: address).contains { $0.fault != .none && (start...time.upperBound).contains($0.time) }
        default:
            let window = shared(call, time.lowerBound)...time.upperBound
            return transfers(of: address).contains { $0.fault.code == code && window.contains($0.time) }
        }
    }

    func mayBeCancelled(_ call: ModelHistory.Call, _ time: ClosedRange<Int>) -> Bool {
        if call.cancelled != nil { return true }
        return history.acts.contains { act in
            switch act.deed {
            case .cancelAll, .cancelLoads(call.load.address): time.contains(act.begun)
            // At its deadline a shutdown cancels what still runs.
            case .shutDown:
                history.acts.contains { late in
                    late.deed == .waitForDeadline && late.begun >= act.begun && late.begun <= time.upperBound
                }
            default: false
            }
        }
    }

    /// Whether memory, or the disk, surely holds what a call asks for: an equal one has brought it, and nothing has
    /// taken it away.
    func mustBeHeld(_ call: ModelHistory.Call, _ time: ClosedRange<Int>) -> Bool {
        guard !program.isMemorySmall, !hasDiskFailed(before: time.upperBound) else { return false }
        return history.calls.contains { earlier in
            guard let ended = earlier.ended, ended < time.lowerBound, case .content? = earlier.outcome,
                earlier.load.address == call.load.address, earlier.load.isVariant == call.load.isVariant,
                earlier.load.asksForPixels, earlier.load.kind != .peek, call.load.asksForPixels
            else { return false }
            let since = earlier.begun ?? 0
            if mayLoseMemory(of: call.load.address, in: since...time.upperBound) { return false }
            // A newer original takes away what was made of the older one: a look does not make it anew.
            return call.load.kind != .peek
                || !history.calls.contains {
                    $0.load.address == call.load.address && $0.isOpen(in: since...time.upperBound)
                        && $0.load.asksOrigin
                }
        }
    }
}
