// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.balanced, .timeLimit(.minutes(1))) struct ClearingTests {
    @Test(arguments: seeds) func `clearing memory keeps the disk, clearing all empties both`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed)
        func source() -> ImageSource? {
            let load = staged.load(.numbered(1))
            staged.run()
            return load.value?.source
        }
        #expect(source() == .network && source() == .memory)
        let memory = staged.start { try await $0.clear(.memory) }
        staged.run()
        #expect(memory.value != nil && staged.manager.peek(.numbered(1)) == nil)
        #expect(source() == .disk)
        let all = staged.start { try await $0.clear() }
        staged.run()
        #expect(all.value != nil && staged.manager.peek(.numbered(1)) == nil)
        #expect(source() == .network)
    }

    @Test(arguments: seeds) func `a load that runs while the caches are emptied ends, and its result is stored`(
        seed: UInt64
    ) throws {
        let staged = try StagedManager(seed: seed)
        let load = staged.load(.numbered(1))
        staged.runSome()
        let clearing = staged.start { try await $0.clear() }
        staged.run()
        #expect(load.value != nil && clearing.value != nil && staged.isAtRest)
        let again = staged.load(.numbered(1))
        staged.run()
        #expect(again.value?.image.pixels == load.value?.image.pixels)
    }
}
