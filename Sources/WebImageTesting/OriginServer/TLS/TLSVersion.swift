// SPDX-License-Identifier: MIT
internal import COpenSSL

extension OriginServer {
    /// A version of TLS.
    package enum TLSVersion: Sendable, Hashable, Comparable, CaseIterable {
        /// TLS 1.0, withdrawn.
        case v10
        /// TLS 1.1, withdrawn.
        case v11
        /// TLS 1.2.
        case v12
        /// TLS 1.3.
        case v13

        var number: CLong {
            switch self {
            case .v10: CLong(TLS1_VERSION)
            case .v11: CLong(TLS1_1_VERSION)
            case .v12: CLong(TLS1_2_VERSION)
            case .v13: CLong(TLS1_3_VERSION)
            }
        }
    }
}
