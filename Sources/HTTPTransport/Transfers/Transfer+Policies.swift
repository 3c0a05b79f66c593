// SPDX-License-Identifier: MIT
import CTransportShims

/// Whether a transfer may use a connection. Asked when one is made and again before each request on one.
extension Transfer {
    /// Whether this transfer may use a connection to the address.
    ///
    /// Remembers a refusal for the error.
    /// - Parameters:
    ///   - port: `nil` for a connection that was checked when it was made.
    ///   - proxyAddresses: The addresses of the proxy's name so far.
    func mayConnect(to address: IPAddress?, port: Int?, proxyAddresses: Set<IPAddress>) -> Bool {
        guard settings.judgesAddresses else { return true }
        guard let address else { return false }
        // The program chose the proxy. Every other address is checked, with or without a proxy.
        if isProxy(address, proxyAddresses), port == nil || port == settings.proxy?.port { return true }
        guard let reason = settings.configuration.addressPolicy.reasonToRefuse(address) else { return true }
        refusal = (address, reason)
        return false
    }

    /// Forgets the refusal of a kept connection and asks for a new one.
    func leaveKeptConnections() {
        needsFreshConnection = true
        refusal = nil
        lacksPin = false
    }

    private func isProxy(_ address: IPAddress, _ proxyAddresses: Set<IPAddress>) -> Bool {
        guard let proxy = settings.proxy else { return false }
        return IPAddress(proxy.host)?.unmapped == address.unmapped || proxyAddresses.contains(address.unmapped)
    }

    /// Whether a pinned certificate is among those of the connection that was made or chosen.
    func hasPinnedPeer() -> Bool {
        guard settings.hasPins else { return true }
        let policy = settings.tls(for: origin.host)
        guard let pins = policy.pinBytes else { return true }
        guard origin.isSecure, let easy else { return false }
        let isVerified = policy.trust != .anyCertificate
        let isPinned = unsafe pins.withUnsafeBufferPointer {
            unsafe transport_peer_has_pin(easy.pointer, isVerified, $0.baseAddress, $0.count)
        }
        lacksPin = !isPinned
        return isPinned
    }
}
