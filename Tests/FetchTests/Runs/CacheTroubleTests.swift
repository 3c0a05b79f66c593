// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

/// A cache that fails causes a warning and costs no picture.
@Suite(.timeLimit(.minutes(10)))
struct CacheTroubleTests {
    private func check(_ run: Finished, _ workplace: Workplace, count: Int) throws {
        expectEqual(run.status, 0)
        try expectEqual(run.lines.filter { $0.ok && $0.source == "network" }.count, count)
        expectEqual(workplace.names(in: workplace.pictures).count, count)
        expectEqual(run.complaints.count, 1)
        expect(run.errors.hasPrefix("fetch: warning: The "))
    }

    private func urls(_ count: Int, at origin: OriginServer) -> [String] {
        origin.respondToEverything { request in
            let seed = Int(request.path.dropFirst()) ?? 0
            return (try? Pictures.png(seed: seed, width: 200, height: 150)) ?? .status(500)
        }
        return (0..<count).map { origin.url("/\($0)").absoluteString }
    }

    /// These folders refuse even root.
    @Test(arguments: ["/proc/nowhere", "/dev/null", "/dev/null/cache", "/sys/cache"])
    func `a cache folder that cannot be written is one warning`(folder: String) async throws {
        try await withOriginServer { origin in
            let workplace = try Workplace()
            let run = try await workplace.fetch(workplace.options + ["--cache", folder] + urls(10, at: origin))
            try check(run, workplace, count: 10)
            expect(run.errors.contains("(\(folder)"))
        }
    }

    @Test(.enabled(if: getuid() != 0, "root may write everywhere"))
    func `a read-only cache folder is one warning`() async throws {
        try await withOriginServer { origin in
            let workplace = try Workplace()
            try FileManager.default.createDirectory(
                at: workplace.cache, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o555])
            let run = try await workplace.fetch(workplace.options + urls(10, at: origin))
            try check(run, workplace, count: 10)
        }
    }

    @Test(.enabled(if: Mount.isPossible, "only root may mount a file system"), arguments: ["ro", "size=16k"])
    func `a cache on a read-only or full file system is one warning`(mountOptions: String) async throws {
        try await withOriginServer { origin in
            let workplace = try Workplace()
            try FileManager.default.createDirectory(at: workplace.cache, withIntermediateDirectories: true)
            let mount = try Mount(mountOptions, on: workplace.cache)
            let run = try await workplace.fetch(workplace.options + urls(10, at: origin))
            mount.end()
            try check(run, workplace, count: 10)
        }
    }

    /// The picture fits below the limit to the byte; the cache's file, which has a header, does not.
    @Test func `a limit to the size of files that only the cache exceeds is one warning`() async throws {
        try await withOriginServer { origin in
            let picture = try Pictures.bytes()
            let padded = picture + Array(repeating: 0, count: 8_192 - picture.count)
            origin.respondToEverything { _ in .ok(padded, type: "image/png") }
            let workplace = try Workplace()
            let urls = (0..<10).map { origin.url("/\($0)").absoluteString }
            // POSIX counts in blocks of 512 bytes.
            let run = try await workplace.fetch(workplace.options + urls, shell: "ulimit -f 16; exec \"$0\" \"$@\"")
            try check(run, workplace, count: 10)
            expect(workplace.names(in: workplace.cache.appending(path: "tmp")).isEmpty)
        }
    }
}
