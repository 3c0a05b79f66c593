// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

struct EntryFilesTests {
    private let folder: TemporaryFolder
    private let files: EntryFiles
    private let key = CacheKey("https://images.example/1.png")
    private var digest: KeyDigest { KeyDigest(of: key) }

    init() throws {
        folder = try TemporaryFolder()
        files = EntryFiles(folder: folder.path + "/cache", isSynced: false)
    }

    @discardableResult
    private func write(_ entry: DiskEntry = sampleEntry(), as digest: KeyDigest? = nil) throws -> Int {
        let front = try required(EntryHeader.front(key: key, metadata: entry.metadata, body: entry.bytes))
        return try files.write(
            front: front, body: entry.bytes, as: digest ?? self.digest, storedAt: TestTime().now.wholeSeconds)
    }

    private func read(withBody: Bool = true, limit: Int = 1 << 20) throws -> EntryFiles.Finding {
        try files.read(key, digest, fileSizeLimit: limit, withBody: withBody)
    }

    private func isDamaged(_ finding: EntryFiles.Finding) -> Bool {
        if case .damaged = finding { true } else { false }
    }

    @Test(arguments: [0, 1, 700, 1_000, 5_000, 300_000])
    func `an entry comes back as it was written, also a large one, and one whose key is longer than the first read`(
        size: Int
    ) throws {
        let entry = sampleEntry(2, size: size)
        let written = try write(entry)
        guard case .entry(let found, let status) = try read() else { throw Failed() }
        expectEqual(found, entry)
        expectEqual(status.size, written)
        expectEqual(folder.entryBytes, written)
        guard case .entry(let bare, _) = try read(withBody: false) else { throw Failed() }
        expectEqual(bare.metadata, entry.metadata)
        expectEmpty(folder.unfinishedFiles)

        // A key longer than the first read comes back.
        do {
            let key = CacheKey(String(repeating: "é", count: 40_000))
            let entry = sampleEntry()
            let front = try required(EntryHeader.front(key: key, metadata: entry.metadata, body: entry.bytes))
            _ = try files.write(
                front: front, body: entry.bytes, as: KeyDigest(of: key), storedAt: TestTime().now.wholeSeconds)
            let finding = try files.read(key, KeyDigest(of: key), fileSizeLimit: 1 << 20, withBody: true)
            guard case .entry(let found, _) = finding else { throw Failed() }
            expectEqual(found, entry)
        }

        // A large file without a hole is read from its beginning.
        do {
            let entry = sampleEntry(2, size: 1 << 21)
            try write(entry)
            guard case .entry(let found, _) = try read(limit: 1 << 22) else { throw Failed() }
            expectEqual(found.bytes, entry.bytes)
        }
    }

    @Test func `folders and files are for this user alone`() throws {
        try write()
        let manager = FileManager.default
        for (path, mode) in [(files.folder, 0o700), (files.temporaryFolder, 0o700), (files.path(of: digest), 0o600)] {
            expect(try manager.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode, "\(path)")
        }
    }

    @Test func `an entry that is cut at any length, changed in any byte or larger than the limit is damaged`() throws {
        // An entry cut at any length is damaged.
        try write()
        let path = files.path(of: digest)
        let whole = try folder.read(path)
        for length in 0..<whole.count {
            try folder.write(Array(whole[..<length]), to: path)
            expect(isDamaged(try read()), "cut to \(length)")
        }
        try folder.write(whole + [0], to: path)
        expect(isDamaged(try read()))

        // An entry with any changed byte is damaged.
        do {
            try write()
            let path = files.path(of: digest)
            let whole = try folder.read(path)
            for place in whole.indices {
                for flip: UInt8 in [0x01, 0x80, 0xFF] {
                    var changed = whole
                    changed[place] ^= flip
                    try folder.write(changed, to: path)
                    expect(isDamaged(try read()), "byte \(place)")
                }
            }
            try folder.write(whole, to: path)
            guard case .entry = try read() else { throw Failed() }
        }

        // A larger file than the limit is damaged.
        let size = try write()
        expect(isDamaged(try read(limit: size - 1)))
        guard case .entry = try read(limit: size) else { throw Failed() }
    }

    @Test
    func `what takes an entry's place stays: another key of its digest, a successor, and a folder made again`() throws {
        // Another key with the same digest is a miss and stays.
        try write()
        guard case .otherKey = try files.read(CacheKey("other"), digest, fileSizeLimit: 1 << 20, withBody: true)
        else { throw Failed() }
        guard case .entry = try read() else { throw Failed() }
        // A damaged file's successor is not removed in its place.
        try write()
        try folder.write([1, 2, 3], to: files.path(of: digest))
        guard case .damaged(let status) = try read() else { throw Failed() }
        let size = try write()
        try expectEqual(files.remove(digest, onlyIf: status)?.size, size)
        guard case .entry = try read() else { throw Failed() }
        // A folder deleted during a write is made again.
        try write()
        try FileManager.default.removeItem(atPath: files.folder)
        guard case .nothing = try read() else { throw Failed() }
        try write()
        guard case .entry = try read() else { throw Failed() }
        try FileManager.default.removeItem(atPath: files.folder + "/" + digest.folder)
        try write()
        guard case .entry = try read() else { throw Failed() }
    }

    @Test func `links, folders and pipes in place of the file are damaged, removed and overwritten`() throws {
        let path = files.path(of: digest)
        try write()
        let elsewhere = folder.path + "/elsewhere"
        try FileManager.default.moveItem(atPath: path, toPath: elsewhere)
        let obstacles: [() throws -> Void] = [
            { try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: elsewhere) },
            { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) },
            { expectEqual(unsafe mkfifo(path, 0o600), 0) },
        ]
        for obstruct in obstacles {
            try obstruct()
            guard case .damaged(let status) = try read() else { throw Failed() }
            _ = try files.remove(digest, onlyIf: status)
            try expectNil(files.look(at: digest))
            try obstruct()
            try write()
            guard case .entry = try read() else { throw Failed() }
            _ = try files.remove(digest, onlyIf: nil)
        }
        expect(FileManager.default.fileExists(atPath: elsewhere))
    }

    /// A file in the folder of unfinished files, opened and perhaps locked as its writer would.
    private func makeUnfinished(_ name: String, isLocked: Bool) throws -> FileSystem.Descriptor {
        try files.inFolder(EntryFiles.temporaryFolderName, isMade: true) { folder throws(SystemFailure) in
            let descriptor = try files.system.createFile(name, in: folder)
            if isLocked { try expect(files.system.lock(descriptor)) }
            return descriptor
        }
    }

    @Test func `a file being written is locked, and stays while its writer holds it, in any container`() throws {
        // A file being written is locked until it has its name.
        do {
            let (faults, attempts, folder) = (FaultPlan(), Journal<Bool>(), files.folder)
            faults.set { _, call in
                guard [.write, .duplicate, .rename].contains(call) else { return nil }
                let other = EntryFiles(folder: folder, isSynced: false)
                try? other.inFolder(EntryFiles.temporaryFolderName) { folder throws(SystemFailure) in
                    for name in try other.system.names(in: folder) {
                        let descriptor = try other.system.openForWriting(name, in: folder)
                        attempts.write(try other.system.lock(descriptor))
                        try other.system.close(descriptor)
                    }
                }
                return nil
            }
            let files = EntryFiles(folder: folder, isSynced: false, system: faults.system)
            let entry = sampleEntry()
            let front = try required(EntryHeader.front(key: key, metadata: entry.metadata, body: entry.bytes))
            _ = try files.write(front: front, body: entry.bytes, as: digest, storedAt: TestTime().now.wholeSeconds)
            expectEqual(
                attempts.entries, [false, false, false], "during the write, before the close, before the rename")
            expectEmpty(self.folder.openDescriptors)
        }
        // Unfinished files stay while their writer holds them, in any container.
        let now = DiskCache.Configuration.systemTime().components.seconds
        // Process numbers do not identify a writer: the highest of Linux is 2^22, and every container has a process 1.
        let held = try makeUnfinished("4194999-abc-1", isLocked: true)
        for name in ["4194998-abc-1", "1-abc-1", "deadbeef-1"] {
            try files.system.close(makeUnfinished(name, isLocked: false))
        }
        try files.system.close(makeUnfinished("\(EntryFiles.processToken)-0", isLocked: false))
        try folder.write([1], to: files.temporaryFolder + "/notes.txt")
        expectEqual(files.removeAbandonedFiles(now: now), 3)
        let left = try FileManager.default.contentsOfDirectory(atPath: files.temporaryFolder)
        expectEqual(Set(left), ["notes.txt", "4194999-abc-1", "\(EntryFiles.processToken)-0"])
        try files.system.close(held)
        expectEqual(files.removeAbandonedFiles(now: now), 1)
    }

    @Test(arguments: [(0, false), (3_600, false), (3_700, true), (-3_700, true)])
    func `on a file system without locks an hour decides, whatever the date`(age: Int64, isRemoved: Bool) throws {
        let faults = FaultPlan()
        faults.set { _, call in call == .lock ? .failure(ENOLCK) : nil }
        let files = EntryFiles(folder: files.folder, isSynced: false, system: faults.system)
        try files.system.close(makeUnfinished("deadbeef-1", isLocked: false))
        let now = DiskCache.Configuration.systemTime().components.seconds
        expectEqual(files.removeAbandonedFiles(now: now + age), (isRemoved ? 1 : 0))
        let front = try required(EntryHeader.front(key: key, metadata: sampleEntry().metadata, body: []))
        _ = try files.write(front: front, body: [], as: digest, storedAt: TestTime().now.wholeSeconds)
    }

    @Test(arguments: [1, 2])
    func `a file that another program removes during a write is written once more`(removals: Int) throws {
        let faults = FaultPlan()
        let (folder, renames) = (self.folder, Journal<Void>())
        faults.set { _, call in
            guard call == .rename, renames.count < removals else { return nil }
            renames.write(())
            for name in folder.unfinishedFiles(in: "/cache") {
                try? FileManager.default.removeItem(atPath: folder.path + "/cache/tmp/" + name)
            }
            return nil
        }
        let files = EntryFiles(folder: files.folder, isSynced: false, system: faults.system)
        let front = try required(EntryHeader.front(key: key, metadata: sampleEntry().metadata, body: []))
        if removals == 1 {
            _ = try files.write(front: front, body: [], as: digest, storedAt: TestTime().now.wholeSeconds)
            guard case .entry = try read() else { throw Failed() }
        } else {
            let failure = expectError(SystemFailure.self) {
                try files.write(front: front, body: [], as: digest, storedAt: TestTime().now.wholeSeconds)
            }
            let error = CacheError(try required(failure), path: files.folder)
            expectEqual(error.code, .inputOutput)
            expect(error.message.contains("Another program"))
        }
        expectEmpty(folder.openDescriptors)
    }

    @Test(arguments: [1 << 25, (1 << 20) + 1])
    func `a file with a hole is damaged before a byte of it is read`(size: Int) throws {
        let front = try required(EntryHeader.front(key: key, metadata: .init(url: "u"), body: []))
        try write()
        try folder.write(EntryHeader.forged(front, bodyLength: size - front.count), to: files.path(of: digest))
        try #require(unsafe truncate(files.path(of: digest), off_t(size)) == 0)
        let faults = FaultPlan()
        let files = EntryFiles(folder: files.folder, isSynced: false, system: faults.system)
        guard case .damaged = try files.read(key, digest, fileSizeLimit: 1 << 30, withBody: false) else {
            throw Failed()
        }
        expect(!faults.calls.contains(.read))
    }

    @Test func `a listing has entries and nothing else`() throws {
        let size = try write()
        let entryFolder = files.folder + "/" + digest.folder
        try folder.write([1], to: entryFolder + "/notes.txt")
        try folder.write([1], to: entryFolder + "/" + KeyDigest(high: 1, low: ~digest.low).fileName)
        let listed = try files.list(digest.folder)
        expectEqual(listed.map(\.digest), [digest])
        expectEqual(listed.map(\.size), [size])
        try expectEmpty(files.list("zz"))
    }

    private struct Failed: Error {}

    @Test(arguments: [0, 1, 300, 399, 400, 401, 402, 403, 404, 405, 450, 600, 900, 1_500, 5_000], [false, true])
    func `an entry comes back wherever its body begins`(textLength: Int, isFilled: Bool) throws {
        for size in [0, 100, 4_096, 4_097, 20_000] {
            var entry = sampleEntry(2, size: size)
            entry.metadata.etag = String(repeating: "e", count: textLength)
            let front = try required(
                EntryHeader.front(
                    key: key, metadata: entry.metadata, body: entry.bytes, filledUpTo: isFilled ? 1 << 22 : 0))
            if isFilled, size > 4_096 { expectEqual(front.count % EntryHeader.usualBodyOffset, 0) }
            _ = try files.write(front: front, body: entry.bytes, as: digest, storedAt: 0)
            for withBody in [true, false] {
                let finding = try files.read(key, digest, fileSizeLimit: 1 << 22, withBody: withBody)
                guard case .entry(let found, let status) = finding else {
                    Issue.record("\(size) bytes, front \(front.count): \(finding)")
                    continue
                }
                expectEqual(found.bytes, (withBody ? entry.bytes : []))
                expectEqual(found.metadata.etag, entry.metadata.etag)
                expectEqual(status.size, front.count + size)
            }
        }
    }
}
