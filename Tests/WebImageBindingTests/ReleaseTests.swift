// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import WebImageBinding

/// Pictures that are given back, and loaded again.
@MainActor
@Suite(.balancedOnMainActor, .timeLimit(.minutes(1)))
struct ReleaseTests {
    let scene = Scene()

    @Test func `a target that is about to appear keeps its picture`() async throws {
        try await scene.finish(1)
        scene.target.visibility = .near
        scene.binding.targetVisibilityChanged()
        scene.application.releasePictures()
        expectEqual(scene.target.index, 1)
    }

    @Test func `a request that was changed before its load is not changed again when it is loaded again`() async throws
    {
        try await scene.finish(1, options: options { $0.changeRequest = { $0.transformers.append(.circle) } })
        scene.target.visibility = .hidden
        scene.binding.targetVisibilityChanged()
        scene.application.releasePictures()
        scene.application.enterForeground()
        expectEqual(scene.loader.answers.map(\.request.transformers.count), [1, 1])
        scene.binding.cancelAll()
    }
}
