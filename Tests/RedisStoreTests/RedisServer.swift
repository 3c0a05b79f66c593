// SPDX-License-Identifier: MIT
import Foundation
import Testing

/// A real server on a Unix socket in a folder of its own.
final class RedisServer {
    let path: String
    private let folder: URL
    private let options: [String]
    private var process: Process?

    /// Where Debian's package `redis-server` puts the program; `nil` when it is not installed.
    static let program: String? = ["/usr/bin/redis-server", "/usr/bin/valkey-server"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Where a server is required, its tests fail without it.
    static let isRequired = ProcessInfo.processInfo.environment["REQUIRE_REDIS"] != nil
    static let canRun = program != nil || isRequired

    init(_ options: [String] = []) throws {
        self.options = options
        folder = FileManager.default.temporaryDirectory.appending(path: "redis-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appending(path: "redis.sock").path
        try start()
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(at: folder)
    }

    func start() throws {
        let process = Process()
        process.executableURL = URL(filePath: try #require(Self.program, "Install redis-server."))
        process.arguments =
            ["--port", "0", "--unixsocket", path, "--save", "", "--appendonly", "no", "--dir", folder.path] + options
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process
    }

    func signal(_ number: Int32) {
        if let process { Foundation.kill(process.processIdentifier, number) }
    }

    func kill() {
        signal(SIGCONT)
        signal(SIGKILL)
        process?.waitUntilExit()
        process = nil
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips what needs a server where none is installed.
    static var needsRedis: Self {
        .enabled(if: RedisServer.canRun, "redis-server is not installed: apt-get install redis-server")
    }
}
