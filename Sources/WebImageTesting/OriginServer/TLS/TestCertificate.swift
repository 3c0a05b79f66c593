// SPDX-License-Identifier: MIT
internal import PlatformBasics

/// A certificate for a test server, with a root of its own.
///
/// Root and leaf are made by the `openssl` command in a folder below the temporary directory, which is removed with the
/// last reference to the certificate. A client that must accept the server gets ``rootPath`` as an additional root; any
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

    /// Makes a root and a leaf.
    ///
    /// Runs the `openssl` command four times and blocks for as long as that takes, some tens of milliseconds.
    ///
    /// - Parameters:
    ///   - hosts: DNS names, also with `*`, and addresses without brackets.
    ///   - variant: The fault of the leaf.
    /// - Throws: ``OriginError`` with code `.opensslMissing` when the command is not installed, `.certificate` when it
    ///   fails or a host cannot be put into a certificate.
    public static func make(
        hosts: [String] = ["localhost", "127.0.0.1", "::1"], variant: Variant = .valid
    ) throws(OriginError) -> TestCertificate {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "origin-certificate-\(UUID().uuidString)", directoryHint: .isDirectory)
        do {
            return try TestCertificate(hosts: hosts, variant: variant, folder: folder)
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    private init(hosts: [String], variant: Variant, folder: URL) throws(OriginError) {
        let hosts = variant == .wrongHost ? ["wrong.invalid"] : hosts
        let authority = try CertificateAuthority(folder: folder, hosts: hosts)
        let day = 86_400.0
        let now = Date.now
        try authority.makeRoot(from: now - 10 * day, to: now + 30 * day)
        switch variant {
        case .valid, .wrongHost: try authority.makeLeaf(from: now - day, to: now + 30 * day)
        case .expired: try authority.makeLeaf(from: now - 2 * day, to: now - day)
        case .notYetValid: try authority.makeLeaf(from: now + day, to: now + 30 * day)
        }
        self.hosts = hosts
        self.variant = variant
        self.folder = folder
        rootPath = authority.path("root.pem")
        certificatePath = authority.path("leaf.pem")
        keyPath = authority.path("leaf.key")
        publicKeySHA256 = try TLSContext.publicKeySHA256(ofCertificateAt: certificatePath)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }
}
