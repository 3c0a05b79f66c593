// SPDX-License-Identifier: MIT
import Dispatch
import ImageCoding
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.balanced, .timeLimit(.minutes(1))) struct EntityTagTests {
    private final class Hasher: Sendable {
        let count = Atomic(0)

        func digest(of bytes: [UInt8]) -> KeyDigest {
            count.add(1, ordering: .relaxed)
            return KeyDigest(of: bytes)
        }
    }

    private func file(_ text: String) -> EncodedImage {
        EncodedImage(bytes: Array(text.utf8), format: .png, width: 1, height: 1, frameCount: 1, source: .network)
    }

    @Test func `equal bytes have one tag, which follows a change of the bytes`() {
        var file = file("abc")
        // The first half of the digest in FIPS 180-2, appendix B.1.
        expectEqual(file.entityTag, "\"ba7816bf8f01cfea414140de5dae2223\"")
        let copy = file
        file.bytes.append(0x64)
        expectEqual(file.entityTag, self.file("abcd").entityTag)
        expectEqual(copy.entityTag, self.file("abc").entityTag)
        expect(file.entityTag != copy.entityTag)
        file.bytes.removeLast()
        expectEqual(file.entityTag, copy.entityTag)
    }

    @Test(arguments: seeds)
    func `a load hashes nothing, and callers that share a file in memory hash it once`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed)
        let hasher = Hasher()
        var files: [EncodedImage] = []
        for _ in 0..<3 {
            let caller = staged.data(.numbered(7), as: .jpeg())
            staged.run()
            files.append(try required(caller.value))
        }
        expectEqual(files.map(\.source), [.network, .memory, .memory])
        files.append(files[1].confirmed(nil, number: 9))
        var other = file("")
        other.bytes = files[0].bytes
        expectEqual(Set(files.map { $0.content.entityTag(hasher.digest) }), [other.entityTag])
        expectEqual(hasher.count.load(ordering: .relaxed), 1)
        expect(staged.isAtRest)
    }

    @Test(.enabled(if: hasSystemAllocator)) func `the room of a tag is counted, and a tag takes no other`() async {
        await #expect(processExitsWith: .success) {
            let (files, given) = heapGrowth {
                (0..<1_000).map { number in
                    Shared(
                        EncodedImage(
                            bytes: [UInt8](repeating: 1, count: 100 + number % 7), format: .png, width: 1, height: 1,
                            frameCount: 1, source: .memory))
                }
            }
            let (_, later) = heapGrowth { for file in files { _ = file.value.entityTag } }
            let key = MemoryKey.file(CacheKey("a"))
            let counted = files.reduce(0) { sum, file in
                sum + CachedPicture.encoded(file).cost(for: key) - CachedPicture.overhead
            }
            expect(abs(given - counted) * 20, <=, given, "\(counted) for \(given)")
            expect(later, <, 2_000, "\(later)")
        }
    }

    @Test func `callers that ask at once wait for the one that hashes`() {
        let (content, hasher) = (EncodedImage.Content([1, 2, 3]), Hasher())
        DispatchQueue.concurrentPerform(iterations: 64) { _ in _ = content.entityTag(hasher.digest) }
        expectEqual(hasher.count.load(ordering: .relaxed), 1)
    }
}
