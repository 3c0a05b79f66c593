// SPDX-License-Identifier: MIT
import PlatformBasics

/// Look-ups of names, which libcurl may not do itself.
///
/// libcurl asks before it looks a name up. It does not ask for a reused connection, nor for a name that it still
/// remembers. The transfer then leaves libcurl, waits here, and is added again with the addresses.
extension TransferTable {
    /// Looks up the name of a transfer that has left libcurl.
    func lookUp(_ transfer: Transfer) {
        let until = now + settings.configuration.connectTimeout.clampedNanoseconds
        transfer.phase = .lookingUp(since: now, until: until)
        reschedule(transfer)
        let name = transfer.endpoint.name
        lookUps[name, default: []].append(transfer.id)
        resolver.start(name)
    }

    /// Removes a transfer that waited for its name and has ended.
    func leaveLookUp(_ transfer: Transfer) {
        let name = transfer.endpoint.name
        guard var waiting = lookUps[name] else { return }
        waiting.removeAll { $0 == transfer.id }
        lookUps[name] = waiting.isEmpty ? nil : waiting
        if waiting.isEmpty { resolver.abandon(name) }
    }

    /// Continues every transfer that waits for the name, after the look-up has ended.
    func resolved(_ name: String, _ result: Result<[IPAddress], NameResolver.Failure>) {
        for id in lookUps.removeValue(forKey: name) ?? [] {
            guard let transfer = transfers[id], case .lookingUp(let since, _) = transfer.phase else { continue }
            switch result {
            case .success(let addresses):
                transfer.resolution = Transfer.Resolution(
                    addresses: addresses, time: .nanoseconds(Int64(clamping: now - since)))
                if settings.proxy != nil { rememberProxy(addresses) }
                run(transfer)
                if let transfer = transfers[id] { reschedule(transfer) }
            case .failure(let failure):
                end(id, .failure(transfer.cannotResolve(failure.message)))
            }
        }
    }

    /// The proxy's name may resolve to other addresses over time. Connections to the earlier ones may still be reused.
    private func rememberProxy(_ addresses: [IPAddress]) {
        if proxyAddresses.count > Self.proxyAddressLimit { proxyAddresses = [] }
        proxyAddresses.formUnion(addresses.map(\.unmapped))
    }

    private static let proxyAddressLimit = 256
}

extension Transfer {
    /// The result of the look-up of the peer's name.
    struct Resolution {
        let addresses: [IPAddress]
        /// The duration of the look-up.
        let time: Duration
    }

    /// The peer of the connection: the proxy, if there is one, or the origin.
    var endpoint: (name: String, port: Int) {
        settings.proxy.map { ($0.host, $0.port) } ?? (origin.host, origin.port)
    }

    /// Called when libcurl is about to look the name up.
    ///
    /// Returns whether it may: only when the name is an address in any spelling, which needs no thread.
    func mayLookUp() -> Bool {
        let name = endpoint.name
        var ignored = in_addr()
        let isShortAddress = unsafe inet_aton(name, &ignored) != 0
        if isShortAddress || IPAddress(name) != nil { return true }
        // libcurl asks again although it has the addresses: it has found another name.
        if resolution == nil, case .running(let easy, _) = phase { phase = .running(easy, .needsAddress) }
        return false
    }

    /// The duration of the look-up, zero when there was none.
    var lookUpTime: Duration { resolution?.time ?? .zero }

    /// The entry for libcurl's name cache: `+host:port:address,address`. It lives as long as libcurl's own entries.
    var resolvedEntry: String? {
        guard let resolution else { return nil }
        let (name, port) = endpoint
        let list = resolution.addresses.map { if case .v6 = $0 { "[\($0)]" } else { "\($0)" } }
        return "+\(name):\(port):\(list.joined(separator: ","))"
    }
}
