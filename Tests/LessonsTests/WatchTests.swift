// SPDX-License-Identifier: MIT
import Dispatch
import Testing
import WebImageTesting

@testable import lessons

@Suite(.timeLimit(.minutes(1))) struct WatchTests {
    @Test func `work that does not come to its end is told of`() async {
        let gate = Gate()
        let watch = Watch(patience: .milliseconds(1)) { gate.open() }
        watch.begin()
        await gate.pass()
    }
}
