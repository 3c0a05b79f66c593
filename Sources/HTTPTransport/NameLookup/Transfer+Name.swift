#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension Transfer {
    /// How far the name of the peer is on its way to an address.
    enum NameState {
        /// libcurl has not asked for an address.
        case unasked
        /// libcurl has asked, and gives the transfer back.
        case asked
        /// Since then, in nanoseconds of the loop's clock.
        case lookingUp(since: UInt64)
        /// Found, after this time.
        case found([IPAddress], after: Duration)
    }

    /// What is connected to: the proxy, if there is one, or the origin.
    var endpoint: (name: String, port: Int) {
        proxy.map { ($0.host, $0.port) } ?? (hop.origin.host, hop.origin.port)
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
        if case .unasked = nameState { nameState = .asked }
        return false
    }

    func beginLookUp() {
        let now = LoopThread.nanoseconds
        nameState = .lookingUp(since: now)
        lookUpDeadline = now + configuration.connectTimeout.clampedNanoseconds
    }

    func endLookUp(_ addresses: [IPAddress]) {
        guard case .lookingUp(let since) = nameState else { return }
        nameState = .found(addresses, after: .nanoseconds(Int64(clamping: LoopThread.nanoseconds - since)))
        lookUpDeadline = nil
    }

    /// How long the look-up took, zero when there was none.
    var lookUpTime: Duration {
        if case .found(_, let time) = nameState { time } else { .zero }
    }

    /// What libcurl is told about the name: `+host:port:address,address`, which it remembers for as long as its own.
    var resolvedEntry: String? {
        guard case .found(let addresses, _) = nameState else { return nil }
        let (name, port) = endpoint
        let list = addresses.map { if case .v6 = $0 { "[\($0)]" } else { "\($0)" } }
        return "+\(name):\(port):\(list.joined(separator: ","))"
    }
}
