// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// When a use is noted in the file of an entry, and what the file says of the origin.
struct UseTests {
    @Test func `a use is noted when the noted one is a sixteenth of the age old, or a day`() {
        for (age, step) in [(16_000, 1_000), (1_000_000, 62_500), (100_000_000, 86_400), (-1, 86_400), (3, 1)] {
            let lifetime = Lifetime(now: 1_000_000, maximumAge: .seconds(age))
            expect(lifetime.isOutdated(use: 1_000_000 - Int64(step)), "age: \(age)")
            expect(!lifetime.isOutdated(use: 1_000_001 - Int64(step)), "age: \(age)")
        }
    }

    @Test func `a use that this process knows counts although the file names one in the future`() async throws {
        let (folder, time, key) = (try TemporaryFolder(isInMemory: true), TestTime(), CacheKey("k"))
        let cache = DiskCache(.init(folder: folder.path, now: { time.now }))
        _ = try await cache.store(sampleEntry(), for: key)
        time.advance(by: .seconds(6 * 86_400))
        try await expect(cache.contains(key))
        let digest = KeyDigest(of: key)
        let future = (time.now + .seconds(86_400_000)).wholeSeconds
        try cache.files.inFolder(digest.folder) { folder throws(SystemFailure) in
            try FileSystem().setAccess(digest.fileName, in: folder, to: future)
        }
        time.advance(by: .seconds(6 * 86_400))
        try await expect(cache.contains(key))
    }

    @Test func `what an origin says takes the place of what it said, and comes back as it was`() throws {
        let (url, other) = (URL(string: "https://a.example/1.png")!, URL(string: "https://b.example/2.png")!)
        let begin = Date(timeIntervalSince1970: 1_000)
        var headers = HTTPHeaders()
        headers.append(name: "Cache-Control", value: "max-age=60")
        headers.append(name: "Cache-Control", value: "public")
        for name in OriginResponse.storedFields where name != "Cache-Control" { headers[name] = "of \(name)" }
        let full = OriginResponse(
            url: other, status: 203, headers: headers, requestedAt: begin, receivedAt: begin.addingTimeInterval(7))
        let bare = OriginResponse(
            url: other, status: 200, headers: ["Date": "now"], requestedAt: begin, receivedAt: begin)
        var metadata = EntryMetadata(bare, url: url)
        for said in [bare, full, bare, full] {
            metadata.note(said)
            let found = try required(metadata.origin)
            expectAll(found.url == said.url, found.status == said.status)
            expectAll(found.requestedAt == said.requestedAt, found.receivedAt == said.receivedAt)
            for name in OriginResponse.storedFields {
                let value = said.headers.values(for: name).joined(separator: ", ")
                expectEqual(found.headers[name] ?? "", value, "\(name)")
            }
        }
    }
}
