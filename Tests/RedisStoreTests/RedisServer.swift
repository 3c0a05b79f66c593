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

    /// A port that no process has, below those that the kernel gives to clients.
    static func freePort() -> UInt16 {
        while true {
            let port = UInt16.random(in: 12_000..<30_000)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            let length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = unsafe withUnsafePointer(to: &address) {
                unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
            }
            if isBound == 0 { return port }
        }
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
