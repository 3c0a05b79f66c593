// SPDX-License-Identifier: MIT
import Foundation

/// A server in a process of its own, whose processor time is read.
///
/// The code that starts it stops it.
final class ServerProcess {
    private let process = Process()
    /// On the loopback address.
    let port: Int

    /// Starts a server, and waits until its port takes connections.
    init(_ executable: String, _ arguments: [String], port: Int) throws {
        self.port = port
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try process.run()
        for _ in 0..<200 where process.isRunning {
            if let probe = Self.connect(to: port) {
                close(probe)
                return
            }
            usleep(20_000)
        }
        stop()
        throw Failure("\(executable) does not listen on port \(port)")
    }

    /// nginx with one process that serves the files of a folder, as its manual recommends for files that many clients
    /// ask for. Its folders for temporary files are in the same folder.
    ///
    /// - Returns: `nil` when it is not installed.
    static func nginx(serving folder: ScratchFolder) throws -> ServerProcess? {
        let path = "/usr/sbin/nginx"
        guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
        let port = try freePort()
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder.path($0));"
        }
        let text = """
            daemon off; master_process off; pid \(folder.path("pid")); error_log /dev/null crit;
            events { worker_connections 2048; }
            http {
                access_log off; sendfile on; tcp_nopush on; open_file_cache max=100; keepalive_requests 1000000000;
                \(temporary.joined(separator: " "))
                types { image/jpeg jpg; }
                server { listen 127.0.0.1:\(port); root \(folder.path("")); }
            }
            """
        try Data(text.utf8).write(to: URL(filePath: folder.path("nginx.conf")))
        return try ServerProcess(path, ["-c", folder.path("nginx.conf")], port: port)
    }

    /// A server of Redis that keeps nothing on disk.
    ///
    /// - Returns: `nil` when it is not installed.
    static func redis(in folder: ScratchFolder) throws -> ServerProcess? {
        let path = "/usr/bin/redis-server"
        guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
        let port = try freePort()
        return try ServerProcess(
            path, ["--port", "\(port)", "--save", "", "--appendonly", "no", "--dir", folder.path("")], port: port)
    }

    /// The `image-server` that was built beside this program, and the address of a picture there.
    static func imageServer(_ options: [String] = []) throws -> ServerProcess {
        let port = try freePort()
        let arguments = [
            "--port", "\(port)", "--no-metrics", "--no-log", "--key", key, "--allow-network", "127.0.0.1/32",
            "--max-connections", "2000", "--max-requests-per-connection", "1000000000",
        ]
        return try ServerProcess(try executable(), arguments + options, port: port)
    }

    /// The signed address of a picture at ``imageServer(_:)``.
    static func address(_ options: String, of source: String) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: try executable())
        process.arguments = ["sign", "--key", key, options, source]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The processor time of all running threads, user and system, in seconds.
    var processorTime: Double {
        let tasks = "/proc/\(process.processIdentifier)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.reduce(0) { sum, thread in
            let text = (try? String(contentsOfFile: "\(tasks)/\(thread)/schedstat", encoding: .utf8)) ?? ""
            return sum + (Double(text.prefix { $0 != " " }) ?? 0) / 1e9
        }
    }

    /// Kills the process: one that is started from a thread of the concurrency runtime inherits its mask, in which
    /// `SIGTERM` is blocked, and nginx leaves that as it is.
    func stop() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private static let key = String(repeating: "01", count: 32)

    private static func executable() throws -> String {
        let path = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "image-server").path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure("it needs: swift build -c release --product image-server")
        }
        return path
    }

    /// A port that nothing listens on a moment later.
    private static func freePort() throws -> Int {
        let origin = try Origin(["/": []])
        defer { origin.stop() }
        return try origin.url("/").port ?? 0
    }

    private static func connect(to port: Int) -> Int32? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let result = unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe Foundation.connect(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(bytes.count))
        }
        if result == 0 { return descriptor }
        close(descriptor)
        return nil
    }
}
