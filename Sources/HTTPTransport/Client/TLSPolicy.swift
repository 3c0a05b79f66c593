/// Whose certificates a client believes.
///
/// TLS 1.2 is the least version.
public struct TLSPolicy: Sendable, Hashable {
    enum Trust: Hashable {
        case system
        case systemAnd(file: String)
        case only(file: String)
        case nobody
    }

    let trust: Trust

    /// The certificate authorities of the system; the host must match.
    public static let system = TLSPolicy(trust: .system)

    /// The authorities of the system and those in a PEM file.
    public static func system(addingAuthoritiesIn path: String) -> TLSPolicy {
        TLSPolicy(trust: .systemAnd(file: path))
    }

    /// Only the authorities in a PEM file: a private network.
    public static func authorities(in path: String) -> TLSPolicy {
        TLSPolicy(trust: .only(file: path))
    }

    /// Any certificate for any host: whoever sits on the way can read and change everything.
    ///
    /// Only for tests.
    public static let insecure = TLSPolicy(trust: .nobody)
}
