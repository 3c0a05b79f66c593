// SPDX-License-Identifier: MIT
import Foundation
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Faults of the disk, on an executor that makes every run the same.
struct DiskCacheFaultTests {
    let key = CacheKey("https://images.example/1.png")

    /// A cache in a folder of its own whose system calls are counted.
    struct Subject {
        let faults: FaultPlan
        let time = TestTime()
        let warnings = WarningLog()
        var stage: SeededStage
        var folder: TemporaryFolder { stage.folder }

        init() throws {
            faults = FaultPlan()
            stage = try SeededStage(
                seed: 0, maximumByteCount: 1 << 20, time: time, warnings: warnings, system: faults.system)
        }

        mutating func run<Value: Sendable>(
            _ body: @escaping @concurrent @Sendable (DiskCache) async throws -> Value
        ) throws -> Value {
            try required(stage.outcome(of: body).result).get()
        }

        /// What must hold after every fault.
        mutating func expectSound(_ comment: Comment) throws {
            faults.clear()
            expectEmpty(folder.unfinishedFiles, comment)
            expect(folder.openDescriptors.isEmpty && folder.accountDescriptors.count <= 1, comment)
            let bytes = try run { await $0.totalBytes }
            expectEqual(bytes, folder.entryBytes, comment)
            expectEqual(stage.leftovers(), [], comment)
            let report = try run { await $0.shutdown(within: .zero) }
            expect(report.abandonedOperations == 0 && folder.accountDescriptors.isEmpty, comment)
        }
    }

    /// Every operation of a cache, once.
    @concurrent private static func everything(_ cache: DiskCache) async throws {
        let (first, second) = (CacheKey("1"), CacheKey("2"))
        _ = try await cache.store(sampleEntry(1), for: first)
        _ = try await cache.store(sampleEntry(2, size: 5_000), for: second)
        _ = try await cache.store(sampleEntry(3, size: 50), for: first)
        if let found = try await cache.entry(for: first) {
            expect([sampleEntry(1).bytes, sampleEntry(3, size: 50).bytes].contains(found.bytes))
        }
        try? FileManager.default.removeItem(atPath: cache.files.temporaryFolder)
        _ = try await cache.store(sampleEntry(4), for: CacheKey("3"))
        // Damages the entry's file, if there is one.
        let path = cache.files.path(of: KeyDigest(of: second))
        if FileManager.default.fileExists(atPath: path) { try Data([1, 2]).write(to: URL(fileURLWithPath: path)) }
        try await expectNil(cache.entry(for: second))
        _ = try await cache.metadata(for: CacheKey("3"))
        try await cache.remove(first)
        try await cache.removeExpired()
        try await cache.trim(toBytes: 0)
        _ = try await cache.store(sampleEntry(5), for: second)
        try await cache.removeAll()
        _ = try await cache.store(sampleEntry(6), for: second)
    }

    @Test(arguments: [EIO, ENOSPC, EMFILE])
    func `whichever call fails, nothing is left behind and the accounting is right`(number: Int32) throws {
        let calls = try recordCalls()
        expect(calls.count, >, 50)
        for (place, call) in calls.enumerated() {
            var subject = try Subject()
            subject.faults.set { count, _ in count == place + 1 ? .failure(number) : nil }
            try subject.run(Self.everything)
            try subject.expectSound("call \(place + 1), \(call), failed")
        }
    }

    private func recordCalls() throws -> [FileSystem.Call] {
        var subject = try Subject()
        try subject.run(Self.everything)
        let calls = subject.faults.calls
        try subject.expectSound("no call failed")
        return calls
    }

    @Test func `reads and writes that move one byte at a time lose nothing`() throws {
        var subject = try Subject()
        subject.faults.set { _, call in call == .read || call == .write ? .short(1) : nil }
        let key = self.key
        try expect(subject.run { try await $0.store(sampleEntry(), for: key).isStored })
        expect(try subject.run { try await $0.entry(for: key)?.bytes } == sampleEntry().bytes)
        try subject.expectSound("short calls")
    }

    @Test func `a full disk frees a slice, rests a second and recovers`() throws {
        var subject = try Subject()
        let key = self.key
        for number in 0..<40 {
            try expect(subject.run { try await $0.store(sampleEntry(number), for: CacheKey("\(number)")).isStored })
        }
        subject.faults.set { _, call in call == .write ? .failure(ENOSPC) : nil }
        let store: @concurrent @Sendable (DiskCache) async throws -> StoreOutcome = {
            try await $0.store(sampleEntry(), for: key)
        }
        let outcome = try subject.run(store)
        expectEqual(outcome.error?.code, .diskFull)
        expectEqual(outcome.error?.errno, ENOSPC)
        let evictions = try subject.run { await $0.statistics.evictions }
        expect((1...10).contains(evictions))

        subject.faults.clear()
        let calls = subject.faults.count
        try expectEqual(subject.run(store).error?.code, .diskFull)
        expectEqual(subject.faults.count, calls, "refused without a try")
        subject.time.advance(by: .milliseconds(999))
        try expectEqual(subject.run(store).error?.code, .diskFull)
        subject.time.advance(by: .milliseconds(1))
        try expect(subject.run(store).isStored)
        expectEqual(subject.warnings.codes, [.diskFull])
        subject.faults.set { _, call in call == .write ? .failure(ENOSPC) : nil }
        try expectEqual(subject.run(store).error?.code, .diskFull)
        subject.faults.clear()
        subject.time.advance(by: .seconds(-5))
        try expect(subject.run(store).isStored, "a clock set back ends the rest")
        try subject.expectSound("full disk")
    }

    @Test(arguments: [
        (EROFS, CacheError.Code.readOnly), (EACCES, .permissionDenied), (EDQUOT, .diskFull), (EFBIG, .tooLarge),
        (EMFILE, .tooManyOpenFiles), (EIO, .inputOutput), (ENOTDIR, .folderUnavailable), (EPERM, .permissionDenied),
        (ENFILE, .tooManyOpenFiles), (ELOOP, .folderUnavailable), (ENAMETOOLONG, .folderUnavailable),
    ])
    func `a folder that cannot be written is reported once, until it works again`(
        number: Int32, code: CacheError.Code
    ) throws {
        var subject = try Subject()
        let key = self.key
        let store: @concurrent @Sendable (DiskCache) async throws -> StoreOutcome = {
            try await $0.store(sampleEntry(), for: key)
        }
        try expect(subject.run(store).isStored)
        for round in 1...2 {
            subject.faults.set { _, call in call == .write || call == .makeFolder ? .failure(number) : nil }
            for _ in 0..<3 {
                try expectEqual(subject.run(store).error?.code, code)
                subject.time.advance(by: .seconds(2))
            }
            expectEqual(subject.warnings.codes, Array(repeating: code, count: round))
            try expectEqual(subject.run { await $0.trouble }?.code, code)
            try expectEqual(subject.run { await $0.statistics.refusals }, 3 * round)
            subject.faults.clear()
            try expect(subject.run(store).isStored)
            try expectNil(subject.run { await $0.trouble })
        }
        try subject.expectSound("\(code)")
    }

    /// Root may do everything. Then each call on a thread of this name is made as another user, who has the rights of
    /// all.
    private static let otherUser = "other-user"
    /// Sets the user for the file system alone, which Linux has for each thread; the call says which one was set
    /// before.
    private static let setUser: (@convention(c) @Sendable (UInt32) -> Int32)? = {
        guard let place = unsafe dlsym(nil, "setfsuid") else { return nil }
        return unsafe unsafeBitCast(place, to: (@convention(c) @Sendable (UInt32) -> Int32).self)
    }()

    @Test(.enabled(if: geteuid() != 0 || setUser != nil))
    func `a folder of another user is reported once, and works when it is opened to all`() async {
        // In a process of its own: a thread that another one starts has the user of that one, and keeps it.
        await #expect(processExitsWith: .success) { try await DiskCacheFaultTests.useFolderOfAnotherUser() }
    }

    private static func useFolderOfAnotherUser() async throws {
        let (folder, warnings, key) = (try TemporaryFolder(isInMemory: true), WarningLog(), CacheKey("key"))
        let inner = folder.path + "/inner"
        let isRoot = geteuid() == 0
        func allow(_ mode: Int) throws {
            if isRoot { _ = setUser?(0) }
            for path in [folder.path, inner] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            }
        }
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true)
        try allow(isRoot ? 0o700 : 0)
        // Threads of its own, because the user is the thread's and stays.
        let cache = DiskCache(
            .init(folder: inner, onWarning: { warnings.append($0) }),
            pool: WorkerPool(name: otherUser, width: 2, maximumQueueLength: 100),
            system: FileSystem(fault: { _ in
                let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
                if isRoot, name?.hasPrefix(otherUser) == true { _ = setUser?(65_534) }
                return nil
            }), executor: nil)
        for _ in 0..<3 {
            try await expectNil(cache.entry(for: key))
            let error = try await cache.store(sampleEntry(), for: key).error
            expectEqual(error?.code, .permissionDenied)
            expectEqual(error?.errno, EACCES)
        }
        expect(warnings.codes.allSatisfy { $0 == .permissionDenied })
        expect((1...3).contains(warnings.codes.count), "one for each sort of operation")
        try allow(0o777)
        try await expect(cache.store(sampleEntry(), for: key).isStored)
        try await expectEqual(cache.entry(for: key)?.bytes, sampleEntry().bytes)
        await expectEqual(cache.shutdown(within: .seconds(60)).abandonedOperations, 0)
        // Before the folder is removed.
        try allow(0o777)
    }

    @Test
    func `a disk without descriptors, or a file in the folder's place, makes misses and one warning each`() throws {
        // Without descriptors reads miss and stores are refused, with one warning each.
        var subject = try Subject()
        let key = self.key
        try expect(subject.run { try await $0.store(sampleEntry(), for: key).isStored })
        let openings: Set<FileSystem.Call> = [.open, .list, .duplicate]
        subject.faults.set { _, call in openings.contains(call) ? .failure(EMFILE) : nil }
        for _ in 0..<3 {
            try expectNil(subject.run { try await $0.entry(for: key) })
            try expectEqual(
                subject.run { try await $0.store(sampleEntry(2), for: key).error?.code }, .tooManyOpenFiles)
        }
        expectEqual(subject.warnings.codes, [.tooManyOpenFiles, .tooManyOpenFiles])
        subject.faults.clear()
        expect(try subject.run { try await $0.entry(for: key)?.bytes } == sampleEntry().bytes)
        try subject.expectSound("EMFILE")

        // A file in the place of the folder is reported, and its removal ends the failure.
        do {
            var subject = try Subject()
            let key = self.key
            try FileManager.default.removeItem(atPath: subject.folder.path)
            try subject.folder.write([1], to: subject.folder.path)
            let refused = try subject.run { try await $0.store(sampleEntry(), for: key) }
            expectEqual(refused.error?.code, .folderUnavailable)
            try expectNil(subject.run { try await $0.entry(for: key) })
            try FileManager.default.removeItem(atPath: subject.folder.path)
            try expect(subject.run { try await $0.store(sampleEntry(), for: key).isStored })
            try subject.expectSound("file in place of the folder")
        }
    }

    @Test func `no call has more than three descriptors open, the account is one, and a trim holds one`() throws {
        var subject = try Subject()
        let (folder, counts, accounts) = (subject.folder, Journal<Int>(), Journal<Int>())
        subject.faults.set { _, _ in
            let (open, account) = folder.descriptors
            counts.write(open.count)
            accounts.write(account.count)
            return nil
        }
        try subject.run(Self.everything)
        let entry = sampleEntry(size: 100_000)
        try subject.run { cache in
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<40 { group.addTask { _ = try? await cache.store(entry, for: CacheKey("\(number)")) } }
            }
        }
        // The disk's executor runs one call at a time.
        expectEqual([counts.entries.max(), accounts.entries.max()], [3, 2])
        try subject.expectSound("descriptors")
    }
}
