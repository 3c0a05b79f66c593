// SPDX-License-Identifier: MIT
import Foundation
import WebImageTesting

@testable import HTTPTransport

/// A real nginx on free loopback ports, with certificates made for the occasion.
final class Nginx: Sendable {
    struct CannotStart: Error {
        let log: String
    }

    static let path = "/usr/sbin/nginx"
    /// Whether a machine without nginx fails the tests instead of skipping them.
    static var isRequired: Bool { ProcessInfo.processInfo.environment["REQUIRE_NGINX"] != nil }
    static var isInstalled: Bool {
        FileManager.default.isExecutableFile(atPath: path)
            && FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")
    }

    /// Certificates: made by the private authority for localhost, expired, and for another host.
    enum Certificate: String, CaseIterable {
        case good, expired, otherHost
    }

    let folder: URL
    let ports: [Certificate: Int]
    let plainPort: Int
    private let process: Process
    /// What it logs: a line for its start, and one for each error.
    private let log = Pipe()

    /// The PEM file of the private authority.
    var authority: String { folder.appending(path: "ca.pem").path }

    /// Starts a server and returns when it accepts connections.
    /// - Parameter zeros: Files of so many zero bytes, which take no room. The one called `packed` is said to be gzip.
    init(files: [String: [UInt8]], zeros: [String: UInt64] = [:]) throws {
        folder = URL(filePath: NSTemporaryDirectory()).appending(path: "nginx-\(UUID().uuidString)")
        let www = folder.appending(path: "www")
        try FileManager.default.createDirectory(at: www, withIntermediateDirectories: true)
        for (name, bytes) in files { try Data(bytes).write(to: www.appending(path: name)) }
        for (name, count) in zeros {
            try Data().write(to: www.appending(path: name))
            try FileHandle(forWritingTo: www.appending(path: name)).truncate(atOffset: count)
        }
        for (name, bytes) in try Self.certificates.get() { try bytes.write(to: folder.appending(path: name)) }
        let free = try Self.freePorts(count: Certificate.allCases.count + 1)
        ports = Dictionary(uniqueKeysWithValues: zip(Certificate.allCases, free))
        plainPort = free[Certificate.allCases.count]
        try Self.configuration(ports: ports, plain: plainPort)
            .write(to: folder.appending(path: "nginx.conf"), atomically: true, encoding: .utf8)
        process = Process()
        process.executableURL = URL(filePath: Self.path)
        process.arguments = ["-p", folder.path, "-e", "stderr", "-c", "nginx.conf"]
        process.standardError = log
        try process.run()
        do {
            try waitUntilReady()
        } catch {
            stop()
            throw error
        }
    }

    /// Reads the log until it tells of the workers, which nginx starts when it listens on every port.
    ///
    /// - Throws: ``CannotStart`` when the log ends before, as it does when nginx exits.
    private func waitUntilReady() throws {
        var text = ""
        while !text.contains("start worker process ") {
            let piece = log.fileHandleForReading.availableData
            guard !piece.isEmpty else { throw CannotStart(log: text) }
            text += String(decoding: piece, as: UTF8.self)
        }
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    func url(_ path: String, _ certificate: Certificate? = nil, host: String = "localhost") -> URL {
        let origin = certificate.map { "https://\(host):\(ports[$0]!)" } ?? "http://\(host):\(plainPort)"
        return URL(string: origin + path)!
    }

    /// `listen … http2` is the only form that nginx 1.22 knows; from 1.25 on it is deprecated, and works.
    private static func configuration(ports: [Certificate: Int], plain: Int) -> String {
        let servers = ports.map { certificate, port in
            """
            server {
                listen 127.0.0.1:\(port) ssl http2; root www; http2_max_concurrent_streams 64;
                location /down { return 302 http://localhost:\(plain)/text; }
                location /packed { gzip off; add_header Content-Encoding gzip; }
                location /session { keepalive_timeout 0; return 200 $ssl_session_reused; }
                ssl_certificate \(certificate).pem; ssl_certificate_key \(certificate).key;
            }
            """
        }
        let user = getuid() == 0 ? "user root;" : ""
        return """
            daemon off; worker_processes 1; pid nginx.pid; error_log stderr notice; \(user)
            events { worker_connections 512; }
            http {
                access_log off; ssl_session_cache shared:sessions:1m; gzip on; gzip_types *; gzip_min_length 1;
                client_body_temp_path a; proxy_temp_path b; fastcgi_temp_path c; uwsgi_temp_path d; scgi_temp_path e;
                server {
                    listen 127.0.0.1:\(plain); root www;
                    location /packed { gzip off; add_header Content-Encoding gzip; }
                    location /up { return 302 https://localhost:\(ports[.good]!)/text; }
                }
            \(servers.joined(separator: "\n"))
            }
            """
    }

    /// The files of the authority and of its certificates, made once for all servers.
    private static let certificates = Result {
        let folder = URL(filePath: NSTemporaryDirectory()).appending(path: "nginx-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        try makeCertificates(in: folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try names.map { ($0, try Data(contentsOf: folder.appending(path: $0))) }
    }

    /// A private authority, and three certificates signed by it.
    private static func makeCertificates(in folder: URL) throws {
        // Keys on a curve are made in no time.
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
        try openssl(folder, "req -x509 \(key) -keyout ca.key -out ca.pem -days 30 -subj /CN=Authority")
        for certificate in Certificate.allCases {
            let host = certificate == .otherHost ? "other.example" : "localhost"
            try "subjectAltName=DNS:\(host)\n"
                .write(to: folder.appending(path: "names"), atomically: true, encoding: .utf8)
            try openssl(folder, "req \(key) -keyout \(certificate).key -out request -subj /CN=\(host)")
            // One of no days ends when it begins.
            try openssl(
                folder,
                "x509 -req -in request -CA ca.pem -CAkey ca.key -CAcreateserial -extfile names"
                    + " -days \(certificate == .expired ? 0 : 30) -out \(certificate).pem")
        }
    }

    private static func openssl(_ folder: URL, _ arguments: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CannotStart(log: "openssl \(arguments)\n\(text)") }
    }

    /// Ports that were free a moment ago.
    private static func freePorts(count: Int) throws -> [Int] {
        let origins = try (0..<count).map { _ in try OriginServer.start() }
        defer { for origin in origins { origin.stop() } }
        return origins.map(\.port)
    }
}
