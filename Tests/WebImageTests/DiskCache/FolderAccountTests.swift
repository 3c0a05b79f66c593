// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.replayed)
struct FolderAccountTests {
    private let folder: TemporaryFolder
    private var files: EntryFiles { EntryFiles(folder: folder.path, isSynced: false) }
    private var path: String { folder.path + "/account" }

    init() throws { folder = try TemporaryFolder(isInMemory: true) }

    private func makeAccount(_ faults: FaultPlan? = nil) -> FolderAccount {
        var files = self.files
        if let faults { files.system = faults.system }
        return FolderAccount(files, maximumByteCount: 1 << 40)
    }

    /// A cache, and what it has to learn.
    private struct Member {
        let account: FolderAccount
        let faults: FaultPlan
        var known = FolderAccount.Foreign()
        var foreignUnits = 0
    }

    @Test(arguments: Seeds.first(20))
    func `each cache knows what the others have added, and no more, also when a step fails`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var members = (0..<3).map { _ in
            let faults = FaultPlan()
            return Member(account: makeAccount(faults), faults: faults)
        }
        for member in members { expectEqual(member.account.add(), .init(), "the first opening is no change") }
        var total = 0
        for _ in 0..<300 {
            let one = Int.random(in: 0..<3, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0:  // it lists
                _ = members[one].account.add()
                (members[one].known, members[one].foreignUnits) = (.init(), 0)
            case 1:  // it looks while a store of another cache is under way
                members[one].faults.set { _, call in call == .status ? .failure(EIO) : nil }
                expectNil(members[one].account.look())
                members[one].faults.clear()
            case 2:
                members[one].known.add(try required(members[one].account.look()))
            default:
                let bytes = Int.random(in: 1...5_000, using: &random)
                members[one].known.add(members[one].account.add(bytes))
                let units = (bytes + FolderAccount.unit - 1) / FolderAccount.unit
                total += units
                for other in 0..<3 where other != one { members[other].foreignUnits += units }
            }
            members[one].known.add(try required(members[one].account.look()))
            expectEqual(members[one].known.bytes, members[one].foreignUnits * FolderAccount.unit)
            expectEqual(members[one].known.hasChanged, (members[one].foreignUnits > 0))
        }
        try expectEqual(folder.read(path).count, total)
    }

    @Test(arguments: [FileSystem.Call.open, .write, .status])
    func `what could not be added is added later, and each cache then knows that its index is behind`(
        call: FileSystem.Call
    ) throws {
        let faults = FaultPlan()
        let (own, other) = (makeAccount(faults), makeAccount())
        if call != .open { _ = own.add(1) }
        _ = other.add()
        faults.set { _, made in made == call ? .failure(ENOSPC) : nil }
        _ = own.add(5_000)
        faults.clear()
        let found = own.add(100)
        expect(found.hasChanged, "in between the account was not known")
        var seen = other.add()
        if let more = other.look() { seen.add(more) }
        expect(seen.hasChanged)
        try expect(folder.read(path).count, >=, 4, "the bytes of both")
    }

    @Test
    func `an account that loses its name, its bytes or its place is noticed by every cache, and no size of it traps`()
        throws
    {
        // An account that loses its name, its bytes or its place is noticed by every cache.
        let harms: [(String, () throws -> Void)] = [
            ("removed", { try FileManager.default.removeItem(atPath: self.path) }),
            ("replaced", { try self.folder.write([1, 2, 3], to: self.path) }),
            ("cut", { expectEqual(unsafe truncate(self.path, 1), 0) }),
            ("grown", { expectEqual(unsafe truncate(self.path, 100), 0) }),
            ("too long", { expectEqual(unsafe truncate(self.path, off_t(1 << 45)), 0) }),
            ("the folder removed", { try FileManager.default.removeItem(atPath: self.folder.path) }),
        ]
        for (name, harm) in harms {
            let (looking, adding) = (makeAccount(), makeAccount())
            for account in [looking, adding] { _ = account.add(5_000) }
            _ = looking.add()
            expectEqual(looking.look(), .init(), "\(name)")
            try harm()
            expect(looking.look()?.hasChanged != false, "\(name)")
            expect(adding.add(1).hasChanged, "\(name)")
            // Both use the same file from now on.
            _ = looking.add()
            expectEqual(adding.add(1_024), .init(), "\(name)")
            expectEqual(looking.look(), .init(bytes: 1_024, hasChanged: true), "\(name)")
            try expect(folder.read(path).count, <, 4_096, "\(name)")
        }

        // No size of the account traps.
        var (state, bytes) = (FolderAccount.State(), 0)
        for _ in 0..<3 {
            for size in [Int.max, 0, -1, .min, 1 << 41] { bytes = max(bytes, state.observe(size, adding: 1).bytes) }
        }
        expect(bytes, <=, 1 << 50)
    }

    @Test func `two caches that begin a new account at once know that their index is behind`() throws {
        // The first call of each that removes is followed by one of the other cache.
        let faults = FaultPlan()
        let (first, second) = (makeAccount(faults), makeAccount())
        for account in [first, second] { _ = account.add(1) }
        expectEqual(unsafe truncate(path, off_t(1 << 45)), 0)
        let isFirst = Journal<Void>()
        faults.set { _, call in
            if call == .unlink, isFirst.count == 0 {
                isFirst.write(())
                _ = second.add(1)
            }
            return nil
        }
        expect(first.add(1).hasChanged)
        // The first has removed the account that the second had begun.
        expect(second.look()?.hasChanged != false)
        expect(second.add(1).hasChanged)
        expectEqual(first.look()?.hasChanged, true)
    }

    @Test func `only a file system of this machine answers a look without a thread`() throws {
        let system = FileSystem()
        try folder.write([1], to: path)
        for (folder, name, isLocal) in [(folder.path, "account", true), ("/proc/self", "status", false)] {
            let root = try system.openFolder(folder, mayBeLink: true)
            let file = try system.openForReading(name, in: root)
            expectEqual(system.isLocal(file), isLocal)
            for descriptor in [root, file] { try system.close(descriptor) }
        }
    }
}
