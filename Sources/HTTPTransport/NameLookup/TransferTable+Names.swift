#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Names, which libcurl may not look up itself.
///
/// libcurl asks before it looks a name up, and only then: not for a connection that is reused, nor for a name that it
/// still remembers. The transfer leaves libcurl at that moment, waits here, and comes back with the addresses.
extension TransferTable {
    /// The transfer left libcurl for want of an address.
    func lookUp(_ transfer: Transfer) {
        let until = now + settings.configuration.connectTimeout.clampedNanoseconds
        transfer.phase = .lookingUp(since: now, until: until)
        reschedule(transfer)
        let name = transfer.endpoint.name
        lookUps[name, default: []].append(transfer.id)
        resolver.start(name)
    }

    /// A transfer that waited for its name has ended.
    func leaveLookUp(_ transfer: Transfer) {
        let name = transfer.endpoint.name
        guard var waiting = lookUps[name] else { return }
        waiting.removeAll { $0 == transfer.id }
        lookUps[name] = waiting.isEmpty ? nil : waiting
        if waiting.isEmpty { resolver.abandon(name) }
    }

    /// A look-up has ended: every transfer that waits for the name goes on.
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

    /// The proxy's name may lead to other addresses over time; connections to the earlier ones may still be reused.
    private func rememberProxy(_ addresses: [IPAddress]) {
        if proxyAddresses.count > Self.proxyAddressLimit { proxyAddresses = [] }
        proxyAddresses.formUnion(addresses.map(\.unmapped))
    }

    private static let proxyAddressLimit = 256
}

extension Transfer {
    /// Where the name of the peer leads.
    struct Resolution {
        let addresses: [IPAddress]
        /// How long the look-up took.
        let time: Duration
    }

    /// What is connected to: the proxy, if there is one, or the origin.
    var endpoint: (name: String, port: Int) {
        settings.proxy.map { ($0.host, $0.port) } ?? (origin.host, origin.port)
    }

    /// libcurl is about to look the name up.
    ///
    /// Returns whether it may: when the name is an address, in whatever spelling, for which no thread is needed.
    func mayLookUp() -> Bool {
        let name = endpoint.name
        var ignored = in_addr()
        let isShortAddress = unsafe inet_aton(name, &ignored) != 0
        if isShortAddress || IPAddress(name) != nil { return true }
        // Asked again with the addresses at hand, it has found a name of its own.
        if resolution == nil, case .running(let easy, _) = phase { phase = .running(easy, .needsAddress) }
        return false
    }

    /// How long the look-up took, zero when there was none.
    var lookUpTime: Duration { resolution?.time ?? .zero }

    /// What libcurl is told about the name: `+host:port:address,address`, which it remembers for as long as its own.
    var resolvedEntry: String? {
        guard let resolution else { return nil }
        let (name, port) = endpoint
        let list = resolution.addresses.map { if case .v6 = $0 { "[\($0)]" } else { "\($0)" } }
        return "+\(name):\(port):\(list.joined(separator: ","))"
    }
}
