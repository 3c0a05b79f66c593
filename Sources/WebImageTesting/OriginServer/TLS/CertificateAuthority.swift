// SPDX-License-Identifier: MIT
internal import HTTPTransport
internal import PlatformBasics

/// The private root of one test certificate: a folder, a configuration and calls of the `openssl` command.
struct CertificateAuthority {
    private let folder: URL

    /// Creates an authority: the folder, for the owner alone, and the configuration in it.
    init(folder: URL, hosts: [String]) throws(OriginError) {
        self.folder = folder
        let names = try hosts.map { host throws(OriginError) in try Self.subjectName(host) }
        guard !names.isEmpty else { throw OriginError(.certificate, "A certificate needs at least one host.") }
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try Data(configuration(names).utf8).write(to: folder.appending(path: "openssl.cnf"))
            try Data().write(to: folder.appending(path: "index.txt"))
            try Data("1000\n".utf8).write(to: folder.appending(path: "serial"))
        } catch {
            throw OriginError(.certificate, "Nothing can be written to \(folder.path): \(error)")
        }
    }

    /// The path of a file in the folder.
    func path(_ name: String) -> String { folder.appending(path: name).path }

    func makeRoot(from start: Date, to end: Date) throws(OriginError) {
        try makeRequest("root", subject: "/CN=Test root")
        try sign("root", by: ["-selfsign"], from: start, to: end)
    }

    func makeLeaf(from start: Date, to end: Date) throws(OriginError) {
        try makeRequest("leaf", subject: "/CN=Test leaf")
        try sign("leaf", by: ["-cert", path("root.pem")], from: start, to: end)
    }

    private func makeRequest(_ name: String, subject: String) throws(OriginError) {
        try run([
            "req", "-batch", "-config", path("openssl.cnf"), "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", path("\(name).key"), "-out", path("\(name).csr"),
            "-subj", subject,
        ])
    }

    private func sign(_ name: String, by issuer: [String], from start: Date, to end: Date) throws(OriginError) {
        // `ca` and not `x509`: the only one that takes dates in every version of OpenSSL.
        try run(
            ["ca", "-batch", "-config", path("openssl.cnf")] + issuer + [
                "-keyfile", path("root.key"), "-in", path("\(name).csr"), "-out", path("\(name).pem"), "-notext",
                "-extensions", name, "-startdate", Self.time(start),
                "-enddate", Self.time(end),
            ])
    }

    /// The date in the form `YYYYMMDDHHMMSSZ`.
    private static func time(_ date: Date) -> String {
        let time = CivilTime(secondsSince1970: HTTPDate(date).secondsSince1970)
        let parts = [time.month, time.day, time.hour, time.minute, time.second]
        return "\(parts.reduce(time.year) { $0 * 100 + $1 })Z"
    }

    private func run(_ arguments: [String]) throws(OriginError) {
        try SystemCommand.run("openssl", arguments, log: path("openssl.log"))
    }

    private func configuration(_ names: [String]) -> String {
        // In a configuration of OpenSSL these three characters are special everywhere.
        var escaped = folder.path
        for special in ["\\", "$", "#"] { escaped = escaped.replacing(special, with: "\\" + special) }
        return """
            [ca]
            default_ca = issuing
            [issuing]
            database = \(escaped)/index.txt
            serial = \(escaped)/serial
            new_certs_dir = \(escaped)
            default_md = sha256
            policy = any
            unique_subject = no
            [any]
            commonName = supplied
            [req]
            distinguished_name = name
            [name]
            [root]
            basicConstraints = critical,CA:TRUE
            keyUsage = critical,keyCertSign,cRLSign
            subjectKeyIdentifier = hash
            [leaf]
            basicConstraints = critical,CA:FALSE
            keyUsage = critical,digitalSignature
            extendedKeyUsage = serverAuth,clientAuth
            subjectAltName = \(names.joined(separator: ","))

            """
    }

    private static func subjectName(_ host: String) throws(OriginError) -> String {
        // Refuses all characters with a meaning in a configuration.
        guard !host.isEmpty, host.utf8.allSatisfy(isHostByte) else {
            throw OriginError(.certificate, "\"\(host)\" is no host; give a DNS name or an address without brackets.")
        }
        let isAddress = host.contains(":") || host.utf8.allSatisfy { $0 == 0x2e || (0x30...0x39).contains($0) }
        return (isAddress ? "IP:" : "DNS:") + host
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-.:*".utf8.contains(byte)
        }
    }
}
