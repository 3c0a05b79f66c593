/// Names, which libcurl may not look up itself.
///
/// libcurl asks before it looks a name up, and only then: not for a connection that is reused, nor for a name that it
/// still remembers. The transfer leaves libcurl at that moment, waits here, and comes back with the addresses.
extension CurlMulti {
    /// The transfer left libcurl for want of an address.
    func lookUp(_ transfer: Transfer) {
        remove(transfer)
        transfer.beginLookUp()
        reschedule(transfer)
        let name = transfer.endpoint.name
        lookUps[name, default: []].append(transfer.id)
        resolver?.start(name)
    }

    /// A transfer that waited for its name has ended.
    func leaveLookUp(_ transfer: Transfer) {
        let name = transfer.endpoint.name
        guard var waiting = lookUps[name] else { return }
        waiting.removeAll { $0 == transfer.id }
        lookUps[name] = waiting.isEmpty ? nil : waiting
        if waiting.isEmpty { resolver?.abandon(name) }
    }

    /// A look-up has ended: every transfer that waits for the name goes on.
    func resolved(_ name: String, _ result: Result<[IPAddress], NameResolver.Failure>) {
        for id in lookUps.removeValue(forKey: name) ?? [] {
            guard let transfer = transfers[id] else { continue }
            switch result {
            case .success(let addresses):
                transfer.endLookUp(addresses)
                if transfer.proxy != nil { rememberProxy(addresses) }
                run(transfer)
                reschedule(transfer)
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
