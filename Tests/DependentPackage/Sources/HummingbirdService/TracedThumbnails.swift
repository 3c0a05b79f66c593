// SPDX-License-Identifier: MIT
import Tracing

extension Thumbnails {
    /// Answers within a span. The load is labelled with it, so that its
    /// steps become the children of the span.
    func tracedAnswer(
        _ target: String, unless known: String?, in parent: ServiceContext
    ) async -> Answer {
        await withSpan("thumbnail", context: parent) { span in
            var thumbnails = self
            thumbnails.label = Trace(context: span.context).label
            let answer = await thumbnails.answer(target, unless: known)
            span.attributes["http.response.status_code"] = answer.status
            return answer
        }
    }
}

/// The trace that a load belongs to. Loads keep it as their label.
struct Trace {
    let context: ServiceContext

    init(context: ServiceContext) { self.context = context }

    init?(label: String?) {
        guard let label else { return nil }
        var context = ServiceContext.topLevel
        InstrumentationSystem.instrument.extract(
            label, into: &context, using: TraceParent())
        self.context = context
    }

    var label: String? {
        var label = ""
        InstrumentationSystem.instrument.inject(
            context, into: &label, using: TraceParent())
        return label.isEmpty ? nil : label
    }

    /// A child that has just ended.
    func addStep(_ name: String, took: Duration) {
        let end = DefaultTracerClock.now.nanosecondsSinceEpoch
        let start = DefaultTracerClock.Timestamp(
            nanosecondsSinceEpoch: end - UInt64(took / .nanoseconds(1)))
        startSpan(name, context: context, at: start).end()
    }
}

/// Carries the field `traceparent` alone, as a text.
struct TraceParent: Injector, Extractor {
    func inject(
        _ value: String, forKey key: String, into label: inout String
    ) {
        if key.lowercased() == "traceparent" { label = value }
    }

    func extract(key: String, from label: String) -> String? {
        key.lowercased() == "traceparent" ? label : nil
    }
}
