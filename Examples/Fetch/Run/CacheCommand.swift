// SPDX-License-Identifier: MIT
import Locks
import PlatformBasics
import WebImage

/// The commands that look after the cache instead of fetching.
enum CacheCommand {
    /// - Returns: The exit status.
    static func run(_ action: CacheAction, _ options: Options) async throws -> Int32 {
        let failed = Mutex(false)
        var configuration = DiskCache.Configuration(onWarning: { error in
            failed.withLock { $0 = true }
            StandardStream.error.writeLine(
                "fetch: \(error.message)" + (error.path.map { " (\($0.printable))" } ?? ""))
        })
        if let cache = options.cache { configuration.folder = URL(filePath: cache).path }
        guard FileManager.default.fileExists(atPath: configuration.folder) else {
            let (folder, limit) = (configuration.folder, configuration.maximumByteCount)
            report(options, Report(folder: folder, limit: limit, was: nil, entries: 0, bytes: 0))
            return 0
        }
        let cache = DiskCache(configuration)
        if let inspection = CacheInspection(action, options) {
            let isSound = try await inspection.run(cache, configuration)
            _ = await cache.shutdown(within: .seconds(10))
            return isSound && !failed.withLock { $0 } ? 0 : 1
        }
        let before = await cache.totalBytes
        switch action {
        case .info, .list, .verify: break
        case .trim(let count): try await cache.trim(toBytes: count)
        case .clear: try await cache.removeAll()
        }
        let after = Report(
            folder: configuration.folder, limit: configuration.maximumByteCount, was: action == .info ? nil : before,
            entries: await cache.entryCount, bytes: await cache.totalBytes)
        _ = await cache.shutdown(within: .seconds(10))
        report(options, after)
        return failed.withLock { $0 } ? 1 : 0
    }

    private struct Report {
        let folder: String
        let limit: Int
        /// The bytes before the command changed something.
        let was: Int?
        let entries: Int
        let bytes: Int
    }

    private static func report(_ options: Options, _ report: Report) {
        guard !options.isQuiet else { return }
        let freed = report.was.map { max(0, $0 - report.bytes) }
        if options.writesJSON {
            let more = freed.map { ",\"freedBytes\":\($0)" } ?? ""
            StandardStream.output.writeLine(
                "{\"folder\":\(report.folder.quotedJSON),\"entries\":\(report.entries),\"bytes\":\(report.bytes),"
                    + "\"limitBytes\":\(report.limit)\(more)}")
        } else {
            StandardStream.output.writeLine(
                "\(report.folder.printable): \(report.entries) files, \(Amount.bytes(report.bytes)) of "
                    + "\(Amount.bytes(report.limit))" + (freed.map { "; \(Amount.bytes($0)) freed" } ?? ""))
        }
    }
}
