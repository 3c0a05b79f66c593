// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// What a cache says while reads, removals or locks fail.
extension DiskCacheFaultTests {
    @Test func `a removal that fails is trouble, told once, until one succeeds, in whichever way`() throws {
        var subject = try Subject()
        let key = self.key
        let removals: [@concurrent @Sendable (DiskCache) async throws -> Void] = [
            { try await $0.remove(key) }, { try await $0.removeAll() }, { try await $0.removeAll(madeFrom: key) },
            { try await $0.remove(key) },
        ]
        for (number, remove) in removals.enumerated() {
            try expect(subject.run { try await $0.store(sampleEntry(), for: key).isStored })
            subject.faults.set { _, call in call == .unlink ? .failure(EACCES) : nil }
            for _ in 0..<2 { try subject.run { try await $0.remove(key) } }
            try expectEqual(subject.run { await $0.trouble }?.code, .permissionDenied)
            expectEqual(subject.warnings.codes.count, number + 1)
            subject.faults.clear()
            try subject.run(remove)
            try expectNil(subject.run { await $0.trouble }, "\(number)")
        }
        try subject.expectSound("removals")
    }

    @Test func `trouble of each sort counts until an operation of its sort succeeds`() throws {
        var subject = try Subject()
        let (key, absent) = (self.key, CacheKey("absent"))
        let operations: [(FileSystem.Call, @concurrent @Sendable (DiskCache, CacheKey) async throws -> Void)] = [
            (.open, { _ = try await $0.entry(for: $1) }), (.unlink, { try await $0.remove($1) }),
            (.write, { _ = try await $0.store(sampleEntry(), for: $1) }),
        ]
        for (failing, operation) in operations {
            try expect(subject.run { try await $0.store(sampleEntry(), for: key).isStored })
            subject.faults.set { _, call in call == failing ? .failure(EIO) : nil }
            try subject.run { try await operation($0, key) }
            subject.faults.clear()
            try expectEqual(subject.run { await $0.trouble }?.code, .inputOutput, "\(failing)")
            for (other, earlier) in operations where other != failing && other != .write {
                try subject.run { try await earlier($0, absent) }
                try expectEqual(subject.run { await $0.trouble }?.code, .inputOutput, "\(failing) after \(other)")
            }
            try subject.run { try await operation($0, key) }
            try expectNil(subject.run { await $0.trouble }, "\(failing)")
        }
        try subject.expectSound("each sort")
    }

    @Test func `without locks a folder is trimmed all the same, and nothing is left open`() throws {
        var subject = try Subject()
        subject.faults.set { _, call in call == .lock ? .failure(ENOLCK) : nil }
        for number in 0..<40 {
            let entry = sampleEntry(number, size: 50_000)
            try expect(subject.run { try await $0.store(entry, for: CacheKey("\(number)")).isStored })
        }
        expect(subject.folder.entryBytes, <=, (1 << 20) * 95 / 100)
        expectEqual(subject.folder.accountDescriptors.count, 1)
        try subject.expectSound("no locks")
    }
}
