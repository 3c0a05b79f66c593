// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// What is removed while it is still to be written.
extension CachesByRequestTests {
    /// A manager that has just delivered a small picture, whose write waits.
    private static func stagedWrite(seed: UInt64) throws -> StagedManager {
        let staged = try StagedManager(seed: seed)
        let load = staged.load(small)
        while load.isRunning { staged.run(steps: 1) }
        expect(load.value != nil)
        return staged
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `a variant whose write still waits is removed, too`(seed: UInt64) throws {
        let staged = try Self.stagedWrite(seed: seed)
        _ = Self.value(staged) { try await $0.removeVariant(Self.small) }
        let isThere = Self.value(staged) { try await $0.diskCache?.contains(Self.small.variantKey) }
        expectEqual(isThere, false)
    }

    @Test(arguments: 0..<100 as Range<UInt64>) func `a removed picture does not come back by a write that waited`(
        seed: UInt64
    ) throws {
        let staged = try Self.stagedWrite(seed: seed)
        let removal = staged.start { try await $0.remove(Self.small) }
        staged.run(without: .files)
        expect(removal.isRunning, "the disk does not answer")
        staged.run()
        expectAll(removal.value != nil, staged.fileCount == 0)
        expectEqual(Self.tiers(staged, Self.small), [])
        expectEqual(Self.tiers(staged, .numbered(1)), [])
    }
}
