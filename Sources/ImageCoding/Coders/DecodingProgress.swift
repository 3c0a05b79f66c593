// SPDX-License-Identifier: MIT
import Synchronization

/// How far a decode is, for those that must decide meanwhile whether it is worth its end.
package final class DecodingProgress: Sendable {
    /// What decodes of the task report to; `nil` outside of jobs.
    @TaskLocal package static var current: DecodingProgress?

    private let drawn = Atomic(0)
    private let expected = Atomic(0)

    package init() {}

    /// Whether half of the pixels are drawn. Formats that are not drawn in rows do not say it, nor do decoders of a
    /// program.
    package var isHalfDone: Bool {
        let expected = expected.load(ordering: .relaxed)
        return expected > 0 && drawn.load(ordering: .relaxed) >= expected / 2
    }

    /// A decode begins.
    package func begin() {
        note(drawn: 0)
        expect(0)
    }

    func note(drawn count: Int) { drawn.store(count, ordering: .relaxed) }
    func expect(_ count: Int) { expected.store(count, ordering: .relaxed) }
}
