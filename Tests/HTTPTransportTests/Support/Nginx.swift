import Foundation
import HTTPTransport

/// A real nginx on free loopback ports, with certificates made for the occasion.
final class Nginx: Sendable {
    static let path = "/usr/sbin/nginx"
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

    /// The PEM file of the private authority.
    var authority: String { folder.appending(path: "ca.pem").path }

    init(files: [String: [UInt8]]) throws {
        folder = URL(filePath: NSTemporaryDirectory()).appending(path: "nginx-\(UUID().uuidString)")
        let www = folder.appending(path: "www")
        try FileManager.default.createDirectory(at: www, withIntermediateDirectories: true)
        for (name, bytes) in files { try Data(bytes).write(to: www.appending(path: name)) }
        try Self.makeCertificates(in: folder)
        let free = try Self.freePorts(count: Certificate.allCases.count + 1)
        ports = Dictionary(uniqueKeysWithValues: zip(Certificate.allCases, free))
        plainPort = free[Certificate.allCases.count]
        try Self.configuration(ports: ports, plain: plainPort)
            .write(to: folder.appending(path: "nginx.conf"), atomically: true, encoding: .utf8)
        process = Process()
        process.executableURL = URL(filePath: Self.path)
        process.arguments = ["-p", folder.path, "-e", "error.log", "-c", "nginx.conf"]
        try process.run()
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

    private static func configuration(ports: [Certificate: Int], plain: Int) -> String {
        let servers = ports.map { certificate, port in
            """
            server {
                listen 127.0.0.1:\(port) ssl http2; root www; http2_max_concurrent_streams 64;
                location /down { return 302 http://localhost:\(plain)/text; }
                ssl_certificate \(certificate).pem; ssl_certificate_key \(certificate).key;
            }
            """
        }
        let user = getuid() == 0 ? "user root;" : ""
        return """
            daemon off; worker_processes 1; pid nginx.pid; \(user)
            events { worker_connections 512; }
            http {
                access_log off; gzip on; gzip_types *; gzip_min_length 1;
                client_body_temp_path a; proxy_temp_path b; fastcgi_temp_path c; uwsgi_temp_path d; scgi_temp_path e;
                server {
                    listen 127.0.0.1:\(plain); root www;
                    location /up { return 302 https://localhost:\(ports[.good]!)/text; }
                }
            \(servers.joined(separator: "\n"))
            }
            """
    }

    /// A private authority, and three certificates signed by it.
    private static func makeCertificates(in folder: URL) throws {
        try openssl(folder, "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 30 -subj /CN=Authority")
        for certificate in Certificate.allCases {
            let host = certificate == .otherHost ? "other.example" : "localhost"
            try "subjectAltName=DNS:\(host)\n"
                .write(to: folder.appending(path: "names"), atomically: true, encoding: .utf8)
            try openssl(folder, "req -newkey rsa:2048 -nodes -keyout \(certificate).key -out request -subj /CN=\(host)")
            // A negative number of days makes a certificate that ended before it began.
            try openssl(
                folder,
                "x509 -req -in request -CA ca.pem -CAkey ca.key -CAcreateserial -extfile names"
                    + " -days \(certificate == .expired ? -1 : 30) -out \(certificate).pem")
        }
    }

    private static func openssl(_ folder: URL, _ arguments: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    }

    /// Ports that were free a moment ago.
    private static func freePorts(count: Int) throws -> [Int] {
        let origins = (0..<count).map { _ in TestOrigin() }
        defer { for origin in origins { origin.stop() } }
        return origins.map(\.port)
    }
}
