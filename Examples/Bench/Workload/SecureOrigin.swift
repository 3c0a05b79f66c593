// SPDX-License-Identifier: MIT
import Foundation
import WebImageTesting

/// nginx with TLS and HTTP/2 in processes of its own, if it is installed.
///
/// The code that starts it must stop it.
struct SecureOrigin {
    /// What is different about a port.
    enum Port: Int, CaseIterable {
        /// Connections are kept.
        case kept
        /// Each connection ends with its first response, and TLS sessions are resumed.
        case resumed
        /// Each connection ends with its first response, and every handshake is a full one.
        case new
    }

    private static let path = "/usr/sbin/nginx"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    private let folder: ScratchFolder
    private let certificate: TestCertificate
    private let ports: [Int]
    private let process = Process()

    /// The PEM file of the authority.
    var authority: String { certificate.rootPath }

    /// Starts a server of one file, and returns when it listens.
    init(_ file: [UInt8]) throws {
        folder = try ScratchFolder()
        certificate = try TestCertificate.make()
        // Ports that were free a moment ago.
        let free = try Port.allCases.map { _ in try OriginServer.start() }
        ports = free.map(\.port)
        free.forEach { $0.stop() }
        try Data(file).write(to: URL(filePath: folder.path("picture.jpeg")))
        try configuration.write(to: URL(filePath: folder.path("nginx.conf")), atomically: true, encoding: .utf8)
        let log = Pipe()
        process.executableURL = URL(filePath: Self.path)
        process.arguments = ["-p", folder.path(""), "-e", "stderr", "-c", "nginx.conf"]
        process.standardError = log
        try process.run()
        var text = ""
        while !text.contains("start worker process ") {
            let piece = log.fileHandleForReading.availableData
            guard !piece.isEmpty else { throw Failure("nginx does not start: \(text)") }
            text += String(decoding: piece, as: UTF8.self)
        }
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        folder.remove()
    }

    func url(_ port: Port) throws -> URL {
        guard let url = URL(string: "https://127.0.0.1:\(ports[port.rawValue])/picture.jpeg") else {
            throw Failure("no URL")
        }
        return url
    }

    private var configuration: String {
        let servers = Port.allCases.map { port in
            let sessions =
                port == .new
                ? "ssl_session_tickets off; ssl_session_cache off;"
                : "ssl_session_tickets on; ssl_session_cache shared:sessions:1m;"
            let keeping = port == .kept ? "keepalive_requests 1000000000;" : "keepalive_timeout 0;"
            return """
                server {
                    listen 127.0.0.1:\(ports[port.rawValue]) ssl http2 backlog=4096; root .; \(sessions) \(keeping)
                    ssl_certificate \(certificate.certificatePath); ssl_certificate_key \(certificate.keyPath);
                }
                """
        }
        return """
            daemon off; worker_processes 1; pid nginx.pid; error_log stderr notice; \(getuid() == 0 ? "user root;" : "")
            events { worker_connections 1024; }
            http {
                access_log off; ssl_protocols TLSv1.2 TLSv1.3; http2_max_requests 1000000000; http2_max_concurrent_streams 128;
                client_body_temp_path a; proxy_temp_path b; fastcgi_temp_path c; uwsgi_temp_path d; scgi_temp_path e;
            \(servers.joined(separator: "\n"))
            }
            """
    }
}
