// SPDX-License-Identifier: MIT
import TestSupport
import WebImageTesting

@testable import WebImage

/// What a caller may see, by what has happened before and meanwhile.
struct ManagerModel {
    let program: ModelProgram
    let history: ModelHistory.State

    private typealias Call = ModelHistory.Call

    /// The first thing that no caller may see.
    var fault: String? {
        for call in history.calls {
            if let fault = fault(of: call) { return "\(fault): \(call)\n\(story(call.load.address))" }
        }
        for address in 0...2 {
            let sent = transfers(of: address)
            for (first, second) in zip(sent, sent.dropFirst()) where first.content != nil {
                guard !hasReason(to: second, after: first) else { continue }
                return "a transfer without a reason: \(second)\n\(story(address))"
            }
        }
        return nil
    }

    /// What has happened to an address.
    private func story(_ address: Int) -> String {
        let transfers = history.transfers.filter { $0.address == address }.map { ($0.time, "\($0)") }
        let files = history.files.filter { $0.address == address }.map { ($0.begun, "\($0)") }
        let calls = history.calls.filter { $0.load.address == address }.map { ($0.begun ?? 0, "\($0)") }
        let acts = history.acts.map { ($0.begun, "\($0)") }
        return (transfers + files + calls + acts).sorted { $0.0 < $1.0 }.map(\.1).joined(separator: "\n")
    }

    private func fault(of call: Call) -> String? {
        guard let begun = call.begun, let ended = call.ended, let outcome = call.outcome else { return "no end" }
        let time = begun...ended
        if let fault = faultOfEvents(call, time) { return fault }
        switch outcome {
        case .content(let content): return fault(of: content, call, time)
        case .failure(let code): return unless(mayFail(code, call, time), "an error without a reason")
        case .cancelled: return unless(mayBeCancelled(call, time), "a cancellation without a reason")
        case .nothing: return unless(!mustBeHeld(call, time), "nothing, although memory holds it")
        case .other(let text): return text
        }
    }

    // MARK: - Contents

    private func fault(of content: Int, _ call: Call, _ time: ClosedRange<Int>) -> String? {
        if hasShutDown(before: time.lowerBound) { return "a picture after the shutdown" }
        if call.load.asksOrigin {
            let window = shared(call, time.lowerBound)...time.upperBound
            let isFresh = transfers(of: call.load.address).contains {
                $0.content == content && window.contains($0.time)
            }
            return unless(isFresh, "a picture that the origin did not have")
        }
        guard let last = last(content, of: call.load.address, before: time.upperBound) else {
            return "a picture of another address, or of none"
        }
        if let newer = newest(for: call.load, time), newer > last { return "a picture that is outdated" }
        if let removal = removal(of: call.load.address, before: time.lowerBound), removal > last {
            return "a picture that was removed"
        }
        return nil
    }

    /// Whether an origin that has answered may be asked again.
    private func hasReason(to second: ModelHistory.Transfer, after first: ModelHistory.Transfer) -> Bool {
        let time = first.time...second.time
        if (program.isMemorySmall && !program.hasDisk) || hasDiskFailed(before: second.time) { return true }
        let calls = history.calls.filter { $0.load.address == first.address && $0.isOpen(in: time) }
        if calls.contains(where: { $0.load.asksOrigin || $0.cancelled != nil }) { return true }
        return history.acts.contains { act in
            act.deed.concerns(first.address) && act.begun <= second.time && (act.ended ?? .max) >= first.time
        }
    }

    func transfers(of address: Int) -> [ModelHistory.Transfer] {
        history.transfers.filter { $0.address == address }
    }

    /// When a content was sent last, or stored by the program.
    func last(_ content: Int, of address: Int, before end: Int) -> Int? {
        let sent = transfers(of: address).filter { $0.content == content && $0.time <= end }.map(\.time)
        let stored = history.files.filter { $0.address == address && $0.content == content && $0.begun <= end }
        return (sent + stored.map { $0.ended ?? end }).max()
    }

    /// When the newest content that a call before has brought, or the program has stored, was sent first.
    private func newest(for load: ModelLoad, _ time: ClosedRange<Int>) -> Int? {
        let address = load.address
        let calls = history.calls.filter { $0.load.address == address && ($0.ended ?? .max) < time.lowerBound }
        let brought = calls.compactMap { earlier -> Int? in
            guard case .content(let content)? = earlier.outcome, earlier.load.kind != .peek,
                isKept(earlier.load, for: load, since: earlier.begun ?? 0, until: time.upperBound)
            else { return nil }
            return transfers(of: address).first { $0.content == content }?.time
        }
        let stored = history.files.filter { file in
            file.address == address && (file.ended ?? .max) < time.lowerBound
                && isKept(nil, for: load, since: file.begun, until: time.upperBound)
                // A transfer that was under way is stored when it lands.
                && !history.calls.contains {
                    $0.load.address == address && $0.isOpen(in: file.begun...(file.ended ?? .max))
                }
        }
        return (brought + stored.map(\.begun)).max()
    }

    /// Whether the caches cannot have gone back to older content than a load has brought.
    ///
    /// A disk that fails may keep the older one. Then only memory has the newer one, as the load has asked for it.
    private func isKept(_ earlier: ModelLoad?, for load: ModelLoad, since begun: Int, until end: Int) -> Bool {
        guard hasDiskFailed(before: end) else { return true }
        guard let earlier, earlier.asksForPixels, load.asksForPixels, earlier.isVariant == load.isVariant else {
            return false
        }
        return !program.isMemorySmall && !mayLoseMemory(of: load.address, in: begun...end)
    }

    func mayLoseMemory(of address: Int, in time: ClosedRange<Int>) -> Bool {
        history.acts.contains { act in
            act.deed.takesMemory(of: address) && act.begun <= time.upperBound
                && (act.ended ?? .max) >= time.lowerBound
        }
    }

    func hasDiskFailed(before end: Int) -> Bool {
        history.acts.contains { $0.deed == .disk(fails: true) && $0.begun <= end }
    }

    /// When the last removal began after which nothing older may be found.
    private func removal(of address: Int, before begun: Int) -> Int? {
        if hasDiskFailed(before: begun) { return nil }
        let removals = history.acts.filter { act in
            guard act.isQuiet, !act.hasFailed, let ended = act.ended, ended < begun else { return false }
            let isOfAll =
                switch act.deed {
                case .remove(address, let tiers), .clear(let tiers):
                    tiers == .all || (tiers == .memory && !program.hasDisk)
                default: false
                }
            let isAlone = !history.calls.contains {
                $0.load.address == address && $0.isOpen(in: act.begun...ended)
            }
            return isOfAll && isAlone
                && !history.files.contains { $0.begun <= ended && ($0.ended ?? .max) >= act.begun }
        }
        return removals.map(\.begun).max()
    }

    /// The earliest time from which on the work may be that a call shares: the last one at which no call of its address
    /// was open.
    func shared(_ call: ModelHistory.Call, _ begun: Int) -> Int {
        var start = begun
        while true {
            let open = history.calls.filter { $0.load.address == call.load.address && $0.isOpen(in: start...start) }
            guard let earlier = open.compactMap(\.begun).min(), earlier < start else { return start }
            start = earlier
        }
    }
}

// MARK: - Events

extension ManagerModel {
    /// Progress does not go back, a cached picture comes once and only when it is asked for, the picture is the last
    /// event, and previews are of contents that were sent.
    private func faultOfEvents(_ call: ModelHistory.Call, _ time: ClosedRange<Int>) -> String? {
        var (progress, cachedCount) = (0, 0)
        let window = shared(call, time.lowerBound)...time.upperBound
        let contents = transfers(of: call.load.address).filter { window.contains($0.time) }
        for (place, event) in call.events.enumerated() {
            switch event {
            case .progress(let count):
                if count < progress, contents.count < 2 { return "progress goes back" }
                progress = count
            case .preview(let content?):
                guard contents.contains(where: { $0.content == content }) else { return "a preview of another picture" }
            case .preview: break
            case .cached(let content):
                cachedCount += 1
                guard cachedCount == 1, call.load.policy == .refreshCached else { return "a cached picture too many" }
                guard last(content, of: call.load.address, before: time.upperBound) != nil else {
                    return "a cached picture of another address"
                }
            case .finished: if place != call.events.count - 1 { return "an event after the end" }
            }
        }
        return nil
    }
}
