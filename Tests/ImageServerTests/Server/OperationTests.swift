// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import SharedStores
import SignedAddresses
import TestSupport
import Testing
import WebImageTesting

@testable import ImageServer
@testable import WebImage

@Suite(.timeLimit(.minutes(10)))
struct OperationTests {
    @Test func `other keys and presets hold from the next request on, also for answers of this second`() async throws {
        let keys = try ["01", "02"].map {
            try #require(SigningKey(hexadecimal: String(repeating: $0, count: 32)))
        }
        let card = try PictureOptions("w16")
        try await World.run {
            ($0.keys, $0.allowsUnsigned, $0.presets) = ([keys[0]], false, ["card": card])
        } _: { world async throws in
            let source = world.origin.url("/a.png").absoluteString
            let readers = [
                AddressReader(keys: [keys[0]], presets: ["card": card]),
                AddressReader(keys: [keys[1]], presets: ["thumb": try PictureOptions("w8")]),
            ]
            let old = try readers[0].address(options: "card", source: source)
            let new = try readers[1].address(options: "thumb", source: source)
            for _ in 0..<3 { try await expectEqual(world.get(old).status, 200) }
            try await expectEqual(world.get(new).status, 403)
            world.server.service.setReader(readers[1])
            try await expectEqual(world.get(old).status, 403)
            try await expectEqual(world.get(new).status, 200)
        }
    }

    @Test func `a cache folder that cannot be used is shown until it can be used, and pictures are served`()
        async throws
    {
        let place = FileManager.default.temporaryDirectory.appending(path: "taken-\(UUID().uuidString)").path
        try Data().write(to: URL(filePath: place))
        defer { try? FileManager.default.removeItem(atPath: place) }
        try await World.run {
            $0.cacheFolder = place + "/cache"
        } _: { world async throws in
            func text(_ path: String) async throws -> String {
                let answer = try await world.get(path, port: world.server.metricsPort)
                expectEqual(answer.status, 200)
                return String(decoding: answer.bytes, as: UTF8.self)
            }
            // Before a picture is asked for.
            while try await !text("/ready").contains("folderUnavailable") { try Task.checkCancellation() }
            try await expect(text("/metrics").contains("image_server_disk_cache_up 0\n"))
            try await expectEqual(world.get(world.path()).status, 200)
            let open = try await world.get("/ready")
            expectEqual(String(decoding: open.bytes, as: UTF8.self), "ready\n")
            try FileManager.default.removeItem(atPath: place)
            try await expectEqual(world.get(world.path("w9")).status, 200)
            while try await text("/ready") != "ready\n" { try Task.checkCancellation() }
            let metrics = try await text("/metrics")
            expect(metrics.contains("image_server_disk_cache_up 1\n"))
            expect(!metrics.contains("image_loader_disk_files 0\n"))
        }
    }

    @Test func `metrics count what was answered`() async throws {
        try await World.run { world async throws in
            let (clock, file) = (ContinuousClock(), try Pictures.file())
            let start = clock.now
            var count = 0
            for _ in 0..<3 { count += try await world.get(world.path()).bytes.count }
            count += try await world.get("/nothing").bytes.count
            let answer = try await world.get("/metrics", port: world.server.metricsPort)
            expectEqual(answer.headers["Content-Type"]?.hasPrefix("text/plain; version=0.0.4"), true)
            let lines = Set(String(decoding: answer.bytes, as: UTF8.self).split(separator: "\n").map(String.init))
            for line in [
                "image_server_requests_total{status=\"200\"} 3", "image_server_requests_total{status=\"404\"} 1",
                "image_server_errors_total{code=\"unknownAddress\"} 1",
                "image_server_pictures_total{source=\"memory\"} 2",
                "image_server_request_duration_seconds_bucket{le=\"+Inf\"} 4", "image_loader_downloads_total 1",
                "image_server_requests_in_progress 0", "image_server_info{version=\"\(Version.number)\"} 1",
                "image_loader_memory_evictions_total 0", "image_server_response_bytes_total \(count)",
                "image_loader_downloaded_bytes_total \(file.count)",
            ] { expect(lines.contains(line), "\(line)") }
            func value(_ name: String) -> Double {
                lines.first { $0.hasPrefix(name + " ") }.flatMap { Double($0.dropFirst(name.count + 1)) } ?? -1
            }
            expect(value("image_server_connections"), >, 0)
            // The requests came one after the other.
            let seconds = value("image_server_request_duration_seconds_sum")
            expectAll(seconds > 0, seconds < (clock.now - start) / .seconds(1))
            expectAll(value("process_cpu_seconds_total") > 0, value("process_resident_memory_bytes") > 1_000_000)
            let open = value("process_open_fds")
            expectAll(open > 2, open < value("process_max_fds"))
            try await expectEqual(world.get("/metrics").status, 404)
        }
    }

    @Test func `the stages of a load are histograms`() async throws {
        try await World.run { world async throws in
            _ = try await world.get(world.path())
            let lines = [
                "image_server_stage_duration_seconds_count{stage=\"load\"} 1",
                "image_server_stage_duration_seconds_bucket{stage=\"load\",le=\"+Inf\"} 1",
                "image_server_stage_duration_seconds_count{stage=\"queue\"} 1",
                "image_server_stage_duration_seconds_count{stage=\"first_byte\"} 1",
                "image_server_stage_duration_seconds_count{stage=\"process\"} 1",
            ]
            // The activities of a load are counted a moment after its answer.
            var text = ""
            while !lines.allSatisfy({ text.contains($0) }) {
                try Task.checkCancellation()
                await Task.yield()
                let answer = try await world.get("/metrics", port: world.server.metricsPort)
                text = String(decoding: answer.bytes, as: UTF8.self)
            }
            expect(text.contains("# TYPE image_server_stage_duration_seconds histogram"))
        }
    }

    @Test func `every figure of the loader and of the shared stores has its own name`() async throws {
        await withImageManager(ImageManager.Configuration()) { manager in
            var counters = manager.counters
            (counters.requests, counters.memoryHits, counters.diskHits) = (21, 22, 23)
            (counters.downloads, counters.downloadedByteCount, counters.memoryWaits) = (24, 25, 26)
            (counters.droppedWrites, counters.cancelled, counters.failed) = (27, 28, 29)
            var (memory, occupancy) = (manager.memoryStatistics, await manager.occupancy)
            (memory.evictions, memory.cost, memory.count) = (31, 32, 33)
            (occupancy.callers, occupancy.flights, occupancy.queuedDownloads) = (41, 42, 43)
            (occupancy.runningDownloads, occupancy.queuedWork, occupancy.runningWork) = (44, 45, 46)
            (occupancy.workByteCount, occupancy.originalByteCount, occupancy.pendingWrites) = (47, 48, 49)
            occupancy.rememberedByteCount = 50
            var shared = SharedCache.Counters()
            (shared.hits, shared.misses, shared.troubles) = (11, 12, 13)
            (shared.droppedWrites, shared.leases, shared.joins) = (14, 15, 16)
            var disk = DiskCache.Statistics()
            (disk.evictions, disk.totalBytes, disk.entryCount) = (61, 62, 63)
            let present = Metrics.Present(
                connections: 1, requests: 2, counters: counters, memory: memory, occupancy: occupancy, disk: disk,
                shared: shared, isRedisUp: true, tables: ["recent_hits": 51])
            let text = Metrics().text(present)
            for (first, rest, suffix) in [
                (21, "requests memory_hits disk_hits downloads downloaded_bytes memory_waits dropped_writes", "_total"),
                (28, "cancelled failed", "_total"), (31, "memory_evictions", "_total"),
                (32, "memory_bytes memory_pictures", ""),
                (41, "callers flights queued_downloads running_downloads queued_work running_work work_bytes", ""),
                (48, "original_bytes pending_writes", ""), (61, "disk_evictions", "_total"),
                (62, "disk_bytes disk_files", ""),
            ] {
                for (value, name) in zip(first..., rest.split(separator: " ")) {
                    expect(text.contains("\nimage_loader_\(name)\(suffix) \(value)\n"), "\(name)")
                }
            }
            for line in [
                "connections 1", "requests_in_progress 2", "redis_up 1", "table_bytes{table=\"failures\"} 50",
                "table_bytes{table=\"recent_hits\"} 51",
            ] { expect(text.contains("\nimage_server_\(line)\n"), "\(line)") }
            let names = ["hits", "misses", "troubles", "dropped_writes", "leases", "joins"]
            for (value, name) in zip(11..., names) {
                expect(text.contains("\nimage_loader_shared_\(name)_total \(value)\n"), "\(name)")
            }
        }
    }

    @Test func `a histogram counts each duration in its bound and in all longer ones`() {
        var histogram = Metrics.Histogram()
        for seconds in [0.001, 0.002, 0.2, 60] { histogram.add(seconds) }
        expectEqual(histogram.cumulative, [1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3])
        expectEqual(histogram.count, 4)
        var metrics = MetricsText()
        metrics.histogram("a", "b", [("", histogram)])
        expectAll(metrics.text.contains("le=\"10.0\"} 3\n"), metrics.text.contains("le=\"+Inf\"} 4\n"))
    }

    @Test(arguments: [
        ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "0af7651916cd43dd8448eb211c80319c"),
        ("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more", "0af7651916cd43dd8448eb211c80319c"),
        ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more", nil),
        ("ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", nil),
        ("00-00000000000000000000000000000000-b7ad6b7169203331-01", nil),
        ("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", nil),
        ("00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", nil), ("", nil), ("00-1-2-3", nil),
    ])
    func `a trace is taken over from a field that is well formed`(field: String, trace: String?) {
        expectEqual(TraceParent(field)?.traceID, trace)
    }

    @Test func `several loops listen on one port`() async throws {
        try await World.run {
            $0.loops = 2
        } _: { world async throws in
            // The system spreads connections by their ports, so some of many come to each loop.
            let clients = try (0..<40).map { _ in try RawClient(port: world.server.port) }
            for client in clients {
                await expectEqual(client.status(of: "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"), 200)
            }
            for server in world.server.servers { expect(await server.connectionCount, >, 0) }
            for (count, parts) in [(2, [4, 3, 2]), (100, [1, 1, 1])] {
                let part = HTTPServer.Limits(connections: 9, requests: 7, waitingByteCount: 5).shared(by: count)
                expectEqual([part.connections, part.requests, part.waitingByteCount], parts)
            }
            try await expectEqual(world.get(world.path()).status, 200)
        }
    }

    @Test func `a port in use is an error that names it, and a Unix socket that is left behind is replaced`()
        async throws
    {
        let path = FileManager.default.temporaryDirectory.appending(path: "image-server-\(UUID().uuidString)").path
        defer { unsafe unlink(path) }
        let long = "/nothing/" + String(repeating: "a", count: 99)
        let tooLong = expectError(ServerError.self) { try ListeningSocket(.unix(path: long)) }
        expectEqual(tooLong?.message.hasSuffix("not 108."), true)
        let dead = try ListeningSocket(.unix(path: path))
        close(dead.descriptor)
        try await World.run {
            $0.socketPath = path
        } _: { _ async throws in
            try await expectEqual(RawClient(path: path).status(of: "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"), 200)
            expectError(ServerError.self) { try ListeningSocket(.unix(path: path)) }
        }
        // A file that is no socket stays.
        unsafe unlink(path)
        try Data("mine".utf8).write(to: URL(filePath: path))
        expectError(ServerError.self) { try ListeningSocket(.unix(path: path)) }
        try expectEqual(String(contentsOfFile: path, encoding: .utf8), "mine")
        unsafe unlink(path)
        // A server that finds the port of its metrics taken leaves nothing open.
        let taken = try ListeningSocket(.port(host: "127.0.0.1", port: 0))
        defer { close(taken.descriptor) }
        var settings = Settings()
        (settings.socketPath, settings.metricsPort) = (path, taken.port)
        let failing = settings
        await expectError(ServerError.self) { try await RunningServer.start(failing) }
        close(try ListeningSocket(.unix(path: path)).descriptor)
        try await World.run { world async throws in
            let error = expectError(ServerError.self) {
                try ListeningSocket(.port(host: "127.0.0.1", port: world.server.port))
            }
            expectEqual(error?.message.contains("\(world.server.port)"), true)
        }
    }

    @Test func `the page is there when it is wanted, runs its own script alone, and is told what the server serves`()
        async throws
    {
        try await World.run { world async throws in try await expectEqual(world.get("/").status, 404) }
        let presets = ["card": try PictureOptions("w8"), "</script>": try PictureOptions("w9")]
        try await World.run {
            $0.showsPage = true
            $0.allowsUnsigned = false
            $0.keys = [SigningKey(hexadecimal: String(repeating: "5a", count: 32))!]
            $0.presets = presets
        } _: { world async throws in
            for (path, type) in [("/", "html"), ("/page.css", "css"), ("/page.js", "javascript"), ("/page.svg", "svg")]
            {
                let answer = try await world.get(path)
                expectEqual(answer.headers["Content-Type"]?.contains(type), true)
                expectEqual(answer.headers["Content-Security-Policy"]?.contains("script-src 'self';"), true)
                expectEqual(answer.headers["X-Content-Type-Options"], "nosniff")
                expectEqual(answer.headers["Referrer-Policy"], "no-referrer")
                expectEqual(answer.headers["Cache-Control"], "no-store")
            }
            let page = String(decoding: try await world.get("/").bytes, as: UTF8.self)
            expect(page.contains(#""unsigned":false,"presets":["\u003c/script>","card"],"presetsOnly":false"#))
            expect(!page.contains("5a5a"))
            // No part of the page is written in its document, where no policy would let it run.
            expect(page.firstMatch(of: /<script>|<style|style=|onclick=/) == nil)
        }
    }

    @Test func `the figures of the page count its pictures, and are not counted themselves`() async throws {
        try await World.run {
            $0.showsPage = true
        } _: { world async throws in
            for path in [world.path(), world.path(), "/nothing"] { _ = try await world.get(path) }
            let size = try Pictures.file().count
            for _ in 0..<2 {
                let figures = try await world.get(DemoPage.figuresTarget)
                var values = try JSONDecoder().decode([String: Int].self, from: Data(figures.bytes))
                // A load may end a moment after its answer.
                for name in ["loads under way", "clients that wait"] { expect(values.removeValue(forKey: name) != nil) }
                let expected = [
                    "requests": 3, "from memory": 1, "from disk": 0, "from origins": 1, "originals fetched": 1,
                    "fetched bytes": size, "failures": 1,
                ]
                expectEqual(values, expected)
            }
        }
    }
}
