// SPDX-License-Identifier: MIT
import PlatformBasics

/// The certificates that a client trusts, the keys that it insists on, and the certificate that it shows.
///
/// ```swift
/// let policy = TLSPolicy.system.pinned(to: .publicKey(sha256: key), .publicKey(sha256: spareKey))
/// ```
///
/// TLS 1.2 is the lowest version. Pins are checked before each request, also on a kept connection. The environment adds
/// no authorities, and has no keys of connections logged (`SSLKEYLOGFILE`).
public struct TLSPolicy: Sendable, Hashable {
    enum Trust: Sendable, Hashable {
        case system
        case systemAnd(file: String)
        case only(file: String)
        case anyCertificate
    }

    let trust: Trust
    /// Certificates or keys of which one must occur in the chain; default `nil`: none must.
    ///
    /// A set that names no key or certificate, such as one whose texts all have typing errors, matches nothing: every
    /// request fails. So does a request over `http`, which has no certificate.
    ///
    /// The chain is the verified one, from the origin's certificate to the root. Under ``insecure`` it is the origin's
    /// certificate alone.
    public var pins: Set<Pin>?
    /// The lowest version to accept; default TLS 1.2.
    public var minimumVersion = Version.v12
    /// The certificate for origins that ask for one; default none.
    ///
    /// That of a request is never shown to another origin after a redirect. That of a client is shown to every origin
    /// that asks; a policy for single hosts restricts it.
    public var clientCertificate: ClientCertificate?

    init(trust: Trust) {
        self.trust = trust
    }

    /// The certificate authorities of the system; the host must match.
    public static let system = TLSPolicy(trust: .system)

    /// The authorities of the system and those in a PEM file.
    public static func system(addingAuthoritiesIn path: String) -> TLSPolicy {
        TLSPolicy(trust: .systemAnd(file: path))
    }

    /// Only the authorities in a PEM file, for private networks.
    public static func authorities(in path: String) -> TLSPolicy {
        TLSPolicy(trust: .only(file: path))
    }

    /// Any certificate for any host: an attacker on the network path can read and change everything.
    ///
    /// Only for tests, or with pins, which then are the only check.
    public static let insecure = TLSPolicy(trust: .anyCertificate)

    /// The same policy with these pins in addition to its own.
    public func pinned(to pins: Pin...) -> TLSPolicy {
        var policy = self
        policy.pins = (policy.pins ?? []).union(pins)
        return policy
    }
}

extension TLSPolicy {
    /// A version of TLS.
    public enum Version: Sendable, Hashable {
        /// TLS 1.2.
        case v12
        /// TLS 1.3.
        case v13
    }

    /// The digest of a certificate or of its public key.
    public struct Pin: Sendable, Hashable {
        /// 0 for a public key and 1 for a certificate, then the digest. No pin is made of a digest with another length.
        let bytes: [UInt8]

        /// A public key, by the SHA-256 of its SubjectPublicKeyInfo in DER, 32 bytes.
        ///
        /// A digest with another length matches no key.
        /// - Source: RFC 7469, section 2.4.
        public static func publicKey(sha256 digest: [UInt8]) -> Pin { Pin(bytes: [0] + digest) }

        /// A public key, by the Base64 of its SHA-256, as `openssl` and `curl` write it; `nil` for another text.
        public static func publicKey(base64 text: String) -> Pin? {
            guard let digest = Data(base64Encoded: text), digest.count == 32 else { return nil }
            return publicKey(sha256: Array(digest))
        }

        /// A certificate, by the SHA-256 of its DER form, 32 bytes.
        ///
        /// A digest with another length matches no certificate.
        public static func certificate(sha256 digest: [UInt8]) -> Pin { Pin(bytes: [1] + digest) }
    }

    /// A certificate and its private key, with which the client proves who it is.
    public struct ClientCertificate: Sendable, Hashable {
        /// The path of the certificate in PEM, with the intermediate ones after it.
        public var certificatePath: String
        /// The path of the private key in PEM, without a password.
        public var keyPath: String

        /// Creates a value; the files are read when a connection is made.
        public init(certificatePath: String, keyPath: String) {
            self.certificatePath = certificatePath
            self.keyPath = keyPath
        }
    }

    /// The pins in one piece, 33 bytes each; `nil` when none are asked for.
    var pinBytes: [UInt8]? { pins.map { $0.filter { $0.bytes.count == 33 }.flatMap(\.bytes) } }
}
