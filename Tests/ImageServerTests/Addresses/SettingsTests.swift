// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ObjectStore
import SignedAddresses
import TestSupport
import Testing
import WebImage

@testable import ImageServer

@Suite struct SettingsTests {
    private static let key = String(repeating: "01", count: 32)

    private func settings(_ words: [String], _ environment: [String: String] = [:]) throws(SettingsError) -> Settings {
        var words = words
        let settings = try Settings(parsing: &words, environment: environment)
        try settings.check()
        return settings
    }

    @Test func `every option is a flag and a variable, a flag replaces a variable, and lists have several items`()
        throws
    {
        let words = ["--port", "1", "--max-age=2", "--key", Self.key, "--allow-host", "a.example"]
        let environment = [
            "IMAGE_SERVER_PORT": "1", "IMAGE_SERVER_MAX_AGE": "2", "IMAGE_SERVER_KEY": Self.key,
            "IMAGE_SERVER_ALLOW_HOST": "a.example",
        ]
        for settings in [try settings(words), try settings([], environment)] {
            expectEqual(settings.port, 1)
            expectEqual(settings.freshness.maximumAge, 2)
            expectEqual(settings.keys.count, 1)
            expectEqual(settings.allowedHosts, ["a.example"])
        }
        expectEqual(Set(Setting.all.map(\.flag)).count, Setting.all.count)
        expect(Setting.all.allSatisfy { Settings.usage.contains($0.flag) })
        let both = try settings(
            ["--key", Self.key, "--port=2", "--allow-host", "A.Example", "--allow-host", "*.b.example"],
            ["IMAGE_SERVER_PORT": "1", "IMAGE_SERVER_ALLOW_HOST": "c.example", "IMAGE_SERVER_PRESET": "a=w1;b=w2,png"])
        expectEqual(both.port, 2)
        expectEqual(both.allowedHosts, ["a.example", "*.b.example"])
        let one = try settings(["--unsigned", "--allow-host=a.example"], ["IMAGE_SERVER_ALLOW_HOST": "c.example"])
        expectEqual(one.allowedHosts, ["a.example"])
        expectEqual(both.presets["b"]?.format, .png)
        expectEqual(both.manager.transport.addressPolicy.allowedHosts, ["a.example", "*.b.example"])
    }

    @Test func `a bucket, its service and its key are options, and no message has the secret`() throws {
        let settings = try settings(
            ["--key", Self.key, "--s3", "s3://pictures/thumbs", "--s3-endpoint=http://minio:9000"],
            [
                "IMAGE_SERVER_S3_KEY_ID": "id", "IMAGE_SERVER_S3_SECRET": "hush", "IMAGE_SERVER_S3_SOURCE": "one,two",
                "IMAGE_SERVER_S3_SESSION_TOKEN": "token",
            ])
        let configuration = try settings.objects.storeConfiguration()
        let store = try required(configuration)
        expectEqual([store.bucket, store.prefix], ["pictures", "thumbs/"])
        expectEqual(store.service.endpoint.absoluteString, "http://minio:9000")
        expect(!"\(store)".contains("hush"))
        expectEqual(settings.reader.buckets, ["one", "two"])
        let words = ["--key", Self.key, "--s3", "s3://pictures", "--s3-secret", "hush"]
        let error = expectError(SettingsError.self) { try self.settings(words) }
        expectEqual(error?.message.contains("hush"), false)
    }

    @Test(arguments: [
        (["--prot", "1"], "--prot"), (["--port"], "--port"), (["--port", "x"], "--port"),
        (["--port", "65536"], "--port"),
        (["--unsigned=maybe"], "--unsigned"), (["--key", "short"], "--key"), (["--max-age", "-1"], "--max-age"),
        (["--cache-control", "theirs"], "--cache-control"), (["--head-timeout", "0"], "--head-timeout"),
        (["--allow-network", "10.0.0.0/99"], "--allow-network"), (["--allow-host", "http://a"], "--allow-host"),
        (["--preset", "card"], "--preset"), (["--preset", "card=w0"], "w0"), (["--preset", "w10=w20"], "w10"),
        (["--preset", "a=w1;a=w2"], "--preset"), (["--unsigned"], "--allow-host"),
        (["--key", key, "--presets-only"], "--preset"), (["--preset-file", "/nothing"], "--preset-file"),
        (["--redis", "http://a"], "--redis"), (["--redis", "redis://"], "--redis"),
        (["--errors", "none"], "--errors"), (["--fallback", "/etc/passwd"], "--fallback"),
        (["--key", key, "--s3", "pictures"], "--s3"), (["--key", key, "--s3", "s3://Pictures"], "--s3"),
        (["--key", key, "--s3", "s3://pictures/../a"], "--s3"),
        (["--key", key, "--s3-source", "s3://a"], "--s3-source"),
        (["--key", key, "--s3", "s3://pictures", "--s3-key-id", "a"], "--s3"),
        (["--key", key, "--s3", "s3://pictures", "--s3-endpoint", "ftp://a"], "--s3"),
        (["--key", key, "--s3", "s3://pictures", "--s3-session-token", "a"], "--s3"),
        (["--key", key, "--s3-style", "virtual"], "--s3-style"), (["--key", key, "--s3-key-id", "a"], "--s3-source"),
        (["--cache-size", "1"], "--cache-size"), (["--cache-size", "-1G"], "--cache-size"),
        (["--cache-size", "G"], "--cache-size"), (["--cache-size", "1T"], "--cache-size"),
        (["--cache-size", "9223372036854775807G"], "--cache-size"), (["--memory", "1.5G"], "--memory"),
        (["--cache-age", "0"], "--cache-age"), (["--cache-age", "1e9"], "--cache-age"),
        (["--key", key, "--cache-size", "1G"], "--cache"), (["--key", key, "--cache-age", "9"], "--cache"),
        (["--connections-per-origin", "0"], "--connections-per-origin"),
        (["--connections-per-origin", "99999999999999999999"], "--connections-per-origin"),
        (["--key-file", "/nothing"], "--key-file"), (["--key-file", "/dev/zero"], "--key-file"),
        (["--key-file", "/dev/null"], "--key-file"), (["--key-file", "/etc/passwd"], "--key-file"),
        (["--key-file", "/"], "--key-file"), (["--preset-file", "/dev/zero"], "--preset-file"),
        (["--drain-delay", "-1"], "--drain-delay"), (["--drain-delay", "nan"], "--drain-delay"),
        (["--drain-delay", "1e99"], "--drain-delay"),
        (["--key", key, "--loops", "2", "--socket", "/tmp/a"], "--loops"), (["--allow-host", "a.example"], "--key"),
        (["--preset", "a=w1"], "--key"), (["--socket", "/tmp/a"], "--key"), (["--preset", "a/b=w1"], "--preset"),
        (["--allow-host", "a:80"], "--allow-host"), (["--allow-host", "a@b"], "--allow-host"),
        (["--key", key, "--s3-endpoint", "http://a"], "--s3-source"), (["--key", key, "--s3", "s3://"], "--s3"),
    ])
    func `an error names its option at the start`(words: [String], name: String) {
        let error = expectError(SettingsError.self) { try self.settings(words) }
        expectEqual(error?.message.contains(name), true)
        expectEqual(error?.message.hasSuffix("."), true)
        expectEqual(error?.message.hasSuffix(".."), false)
    }

    @Test func `the disk cache has a size and an age, and bytes have units`() throws {
        let words = ["--key", Self.key, "--cache", "/a", "--cache-size=20G", "--cache-age", "3600"]
        let disk = try required(try settings(words + ["--memory", "500k", "--max-bytes", "7"]).manager.disk)
        expectEqual(disk.maximumByteCount, 20_000_000_000)
        expectEqual(disk.maximumAge, .seconds(3_600))
        let limits = try settings(["--key", Self.key, "--memory", "500k", "--max-bytes", "7"])
        expectEqual([limits.memoryByteCount, limits.maximumByteCount], [500_000, 7])
        let usual = try required(try settings(["--key", Self.key, "--cache", "/a"]).manager.disk)
        expectEqual(usual.maximumByteCount, DiskCache.Configuration().maximumByteCount)
    }

    @Test func `what an option sets is what the loader has, and a switch can be off`() throws {
        let words = ["--key", Self.key, "--max-pixels", "7", "--source-timeout", "3", "--queue", "9", "--workers", "2"]
        let manager = try settings(words).manager
        expectEqual(manager.limits.maximumPixelCount, 7)
        let transport = manager.transport
        let timeouts = [transport.totalTimeout, transport.idleTimeout, transport.connectTimeout]
        expectEqual(timeouts, [.seconds(3), .seconds(3), .seconds(3)])
        try expectEqual(settings(["--unsigned", "--any-host", "--memory", "5k"]).manager.memory.maximumCost, 5_000)
        try expect(settings(["--key", Self.key, "--errors=picture"]).errors.ofAll != nil)
        let limits = try settings(
            [
                "--key", Self.key, "--max-connections=11", "--max-connections-per-address=12", "--max-requests=13",
                "--max-requests-per-connection=14", "--max-target=315", "--max-fields=16", "--send-memory=17k",
                "--min-rate=18", "--head-timeout=1.5", "--idle-timeout=2.5", "--send-timeout=3.5",
            ]
        ).limits
        let counts = [
            limits.connections, limits.connectionsPerAddress, limits.requests, limits.requestsPerConnection,
            limits.targetByteCount, limits.fields, limits.waitingByteCount, limits.byteRate,
        ]
        expectEqual(counts, [11, 12, 13, 14, 315, 16, 17_000, 18])
        expectEqual(
            [limits.headTimeout, limits.idleTimeout, limits.sendTimeout], [.seconds(1.5), .seconds(2.5), .seconds(3.5)])
        let places = try settings(
            [
                "--key", Self.key, "--host=::1", "--socket=/tmp/a", "--metrics-host=::2", "--metrics-port=9",
                "--drain-timeout=4.5", "--cache-control=origin", "--s3-source=one", "--s3-region=b", "--s3-style=path",
                "--log-loads",
            ])
        expectEqual([places.host, places.socketPath, places.metricsHost], ["::1", "/tmp/a", "::2"])
        expectEqual(places.objects.region, "b")
        expectEqual(places.metricsPort, 9)
        expectEqual(places.drainTimeout, .seconds(4.5))
        expectEqual(places.freshness.authority, .origin)
        expectEqual(places.objects.style, .path)
        expect(places.logsLoads)
        try expectNil(settings(["--key", Self.key, "--no-metrics"]).metricsPort)
        expectEqual([manager.downloader.maximumQueueLength, manager.maximumProcessingQueueLength], [9, 9])
        expectEqual(manager.processingWidth, 2)
        for (text, isOn) in [("1", true), ("true", true), ("0", false), ("false", false)] {
            let settings = try settings(["--key", Self.key], ["IMAGE_SERVER_PAGE": text, "IMAGE_SERVER_NO_LOG": text])
            expectEqual([settings.showsPage, !settings.writesLog], [isOn, isOn], "\(text)")
        }
    }

    @Test func `an original waits for its turn for a minute at least, however soon its origin must answer`() throws {
        func timeout(_ words: [String]) throws -> Duration {
            try settings(["--key", Self.key] + words).manager.downloader.queueTimeout
        }
        try expectEqual(timeout([]), .seconds(60))
        try expectEqual(timeout(["--source-timeout", "5"]), .seconds(60))
        try expectEqual(timeout(["--source-timeout", "90"]), .seconds(90))
    }

    @Test func `one origin has as many connections as there are downloads, and never all connections`() throws {
        func connections(_ words: [String], transfers: Int? = nil) throws -> [Int] {
            var settings = try settings(["--key", Self.key] + words)
            settings.transfers = transfers
            let manager = settings.manager
            if let transfers { expectEqual(manager.transport.maximumConnections, transfers) }
            expectEqual(settings.shares(free: 1_000_000).transfers, 2 * settings.downloads)
            let perHost = manager.downloader.maximumConcurrentDownloadsPerHost
            return [manager.transport.maximumConnectionsPerHost, perHost ?? 0]
        }
        try expectEqual(connections([]), [32, 32])
        try expectEqual(connections(["--downloads", "64"]), [64, 64])
        try expectEqual(connections(["--downloads", "64", "--connections-per-origin", "8"]), [8, 8])
        try expectEqual(connections([], transfers: 5), [2, 2])
        try expectEqual(connections([], transfers: 1), [1, 1])
    }

    @Test func `presets and keys come from a file, after those of the command line`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }
        try write("# ours\ncard=w640,h480,fill\n\n thumb=w160,webp # small\n")
        let presets = try settings(["--key", Self.key, "--preset-file", path]).presets
        expectEqual(presets["card"]?.height, 480)
        expectEqual(presets["thumb"]?.format, .webp)
        try write("card")
        expectError(SettingsError.self) { try self.settings(["--key", Self.key, "--preset-file", path]) }
        let other = String(repeating: "02", count: 32)
        try write("# the new one\r\n\(other) # in use\n\n")
        let keys = try settings(["--key", Self.key, "--key-file", path]).keys
        let wanted = [Self.key, other].map { SigningKey(hexadecimal: $0)?.signature(of: "a") }
        expectEqual(keys.map { $0.signature(of: "a") }, wanted)
        try expectEqual(settings(["--key-file", path, "--drain-delay", "0"]).drainDelay, .zero)
    }

    @Test func `a misspelt variable is an error, and others are ignored`() throws {
        let error = expectError(SettingsError.self) { try self.settings([], ["IMAGE_SERVER_PROT": "1"]) }
        expectEqual(error?.message.contains("IMAGE_SERVER_PROT"), true)
        try expectEqual(settings([], ["PORT": "1"]).port, 8_080)
    }
}
