// SPDX-License-Identifier: MIT
internal import COpenSSL
internal import HTTPTransport
internal import PlatformBasics

/// A certificate for a test server, with a root of its own.
///
/// Root and leaf are files in a folder below the temporary directory, which is removed with the last reference to the
/// certificate. A client that must accept the server gets ``rootPath`` as an additional root; any
/// other client sees an unknown issuer.
///
/// ```swift
/// let certificate = try TestCertificate.make()
/// let origin = try OriginServer.start(tls: certificate)
/// // curl --cacert <certificate.rootPath> https://localhost:<port>/
/// ```
public final class TestCertificate: Sendable {
    /// The fault of a certificate.
    public enum Variant: Sendable, Hashable, CaseIterable {
        /// No fault.
        case valid
        /// It was valid for a day and is no longer.
        case expired
        /// It will be valid from tomorrow on.
        case notYetValid
        /// It is for `wrong.invalid` in place of the requested hosts.
        case wrongHost
    }

    /// The fault of the certificate.
    public let variant: Variant
    /// The names and addresses that the certificate is for.
    public let hosts: [String]
    /// The path of the root, in PEM.
    public let rootPath: String
    /// The path of the leaf, in PEM.
    ///
    /// A client may use it as well.
    public let certificatePath: String
    /// The path of the leaf's private key, in PEM, without a password.
    public let keyPath: String
    /// The SHA-256 of the leaf's public key, 32 bytes, as key pinning compares it.
    ///
    /// - Source: RFC 7469, section 2.4: over the DER form of the SubjectPublicKeyInfo.
    package let publicKeySHA256: [UInt8]

    private let folder: URL

    /// Makes a root and a leaf, which takes some milliseconds.
    ///
    /// - Parameters:
    ///   - hosts: DNS names, also with `*`, and addresses without brackets.
    ///   - variant: The fault of the leaf.
    /// - Throws: ``OriginError`` with code `.certificate` when a host cannot be put into a certificate, or the folder
    ///   cannot be written.
    public static func make(
        hosts: [String] = ["localhost", "127.0.0.1", "::1"], variant: Variant = .valid
    ) throws(OriginError) -> TestCertificate {
        try TestCertificate(hosts: variant == .wrongHost ? ["wrong.invalid"] : hosts, variant: variant)
    }

    private init(hosts: [String], variant: Variant) throws(OriginError) {
        let names = try hosts.map { host throws(OriginError) in try Self.subjectName(host) }
        guard !names.isEmpty else { throw OriginError(.certificate, "A certificate needs at least one host.") }
        let root = try KeyedCertificate(
            "Test root", days: -10...30,
            extensions: [
                (NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
                (NID_subject_key_identifier, "hash"),
            ])
        let days =
            switch variant {
            case .valid, .wrongHost: -1...30
            case .expired: -2...(-1)
            case .notYetValid: 1...30
            }
        let leaf = try KeyedCertificate(
            "Test leaf", signedBy: root, days: days,
            extensions: [
                (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
                (NID_ext_key_usage, "serverAuth,clientAuth"),
                (NID_subject_alt_name, names.joined(separator: ",")),
                // All roots have one name: a client that trusts several finds the right one.
                (NID_authority_key_identifier, "keyid:always"),
            ])
        self.hosts = hosts
        self.variant = variant
        folder = FileManager.default.temporaryDirectory
            .appending(path: "origin-certificate-\(UUID().uuidString)", directoryHint: .isDirectory)
        rootPath = folder.appending(path: "root.pem").path
        certificatePath = folder.appending(path: "leaf.pem").path
        keyPath = folder.appending(path: "leaf.key").path
        publicKeySHA256 = try leaf.publicKeySHA256
        // A failure from here on ends the object, and `deinit` removes the folder.
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw OriginError(.certificate, "Nothing can be written to \(folder.path): \(error)")
        }
        try root.writeCertificate(to: rootPath)
        try leaf.writeCertificate(to: certificatePath)
        try leaf.writeKey(to: keyPath)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    private static func subjectName(_ host: String) throws(OriginError) -> String {
        // Refuses all characters with a meaning in a configuration.
        guard !host.isEmpty, host.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-.:*".utf8.contains($0) }) else {
            throw OriginError(.certificate, "\"\(host)\" is no host; give a DNS name or an address without brackets.")
        }
        let isAddress = host.contains(":") || host.utf8.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
        return (isAddress ? "IP:" : "DNS:") + host
    }
}
