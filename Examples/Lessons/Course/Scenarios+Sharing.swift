// SPDX-License-Identifier: MIT
import WebImageTesting

/// What the draft of the course keeps already, what the two lessons beside the course are about, and what the popular
/// mistakes break.
extension Scenarios {
    /// Lesson 0½: the landing comes to caller A, and the cancellation to caller B, at moments that the seed draws.
    static func oneWait(_ stage: Stage) -> String? {
        let gate = Gate()
        let a = stage.call("caller A", for: "sea", operation: stage.flight { _, _ in 1 })
        let b = stage.call("caller B", for: "sky", operation: waiting(at: gate, stage))
        stage.cancel(b)
        stage.run()
        if a.probe.isRunning { return "the flight of caller A has returned, and caller A waits for ever" }
        if b.probe.isRunning { return "caller B was cancelled, and waits for ever" }
        stage.answer(gate)
        stage.run()
        return nil
    }

    /// Lesson 7: one picture of caller A's album fails, and caller B is cancelled. The other pictures need time to end.
    static func structure(_ stage: Stage) -> String? {
        let gate = Gate()
        let a = stage.call(
            "caller A", for: "album",
            operation: stage.flight { name, _ in
                if name == "flight 2" { throw OriginFailure() }
                await gate.pass()
                return 1
            })
        stage.run()
        if let broken = strays(of: a, stage) { return broken }
        stage.answer(gate)
        stage.run()
        let next = Gate()
        let b = stage.call("caller B", for: "album", operation: waiting(at: next, stage))
        stage.cancel(b)
        stage.run()
        if let broken = strays(of: b, stage) { return broken }
        stage.answer(next)
        stage.run()
        return stage.waiting.first.map { "\($0.name) waits for ever" }
    }

    /// Mistake 1: two callers ask for one key.
    static func sharing(_ stage: Stage) -> String? {
        let gate = Gate()
        let operation = waiting(at: gate, stage)
        let callers = ["caller A", "caller B"].map { stage.call($0, operation: operation) }
        stage.run()
        stage.answer(gate)
        stage.run()
        let count = stage.timeline.flights(that: "begins").count
        if count > 1 { return "\(count) flights began for one key" }
        return callers.first { $0.probe.value == nil }.map { "\($0.name) got no value" }
    }

    /// Mistake 2: the origin fails once, and a second caller asks afterwards.
    static func failure(_ stage: Stage) -> String? {
        let a = stage.call("caller A", operation: stage.flight { _, _ in throw OriginFailure() })
        stage.run()
        if !(a.probe.error is OriginFailure) { return "caller A did not get the error of its flight" }
        let b = stage.call("caller B", operation: stage.flight { _, _ in 1 })
        stage.run()
        return b.probe.value == nil ? "caller B asked after the failure, and got no value" : nil
    }

    /// Mistake 3: one of two callers is cancelled, early or late.
    static func innocentCaller(_ stage: Stage) -> String? {
        let gate = Gate()
        let operation = waiting(at: gate, stage)
        let (a, b) = (stage.call("caller A", operation: operation), stage.call("caller B", operation: operation))
        stage.run()
        stage.cancel(a)
        stage.run()
        stage.answer(gate)
        stage.run()
        return b.probe.value == nil ? "caller A was cancelled, and caller B got no value" : nil
    }

    /// Mistake 4: caller A is cancelled while its flight lands, and caller B asks for the next one.
    static func goodbye(_ stage: Stage) -> String? {
        let (first, second) = (Gate(), Gate())
        let a = stage.call("caller A", operation: waiting(at: first, stage))
        stage.run()
        stage.answer(first)
        stage.cancel(a)
        let b = stage.call("caller B", operation: waiting(at: second, stage))
        stage.run()
        stage.answer(second)
        stage.run()
        return b.probe.value == nil ? "caller B was never cancelled, and got no value" : nil
    }

    /// What a caller has left behind: a flight that loads on in vain, or a flight that has outlived its call.
    private static func strays(of caller: Stage.Caller, _ stage: Stage) -> String? {
        let timeline = stage.timeline
        let running = timeline.flights(that: "begins").subtracting(timeline.flights(that: "fails"))
            .subtracting(timeline.flights(that: "returns"))
        if let stray = running.subtracting(timeline.flights(that: "is cancelled")).min() {
            return "the call of \(caller.name) cannot succeed, and \(stray) loads on"
        }
        guard let stray = running.min(), !caller.probe.isRunning else { return nil }
        return "the call of \(caller.name) has ended, and \(stray) has not"
    }
}
