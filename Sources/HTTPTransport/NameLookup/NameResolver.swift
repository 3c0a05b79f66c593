// SPDX-License-Identifier: MIT
import EventLoops
import Locks
import PlatformBasics
import TaskCoordination

/// Looks names up on threads of its own: one look-up at a time for each name, and a bounded number of names at once.
///
/// The system's look-up blocks its thread and cannot be ended. libcurl would start a thread for every transfer, and the
/// thread would outlive the transfer. Here a look-up without an answer costs one thread for as long as the system
/// tries. Other names wait only when as many look-ups as the limit are stuck.
final class NameResolver: Sendable {
    /// Why a name cannot be resolved, in words.
    struct Failure: Error {
        let message: String
    }

    /// Blocks until the system has answered. The addresses are in the order in which to try them; the list is never
    /// empty.
    typealias LookUp = @Sendable (_ name: String) -> Result<[IPAddress], Failure>

    private struct State {
        var waiting: [String] = []
        var running: Set<String> = []
    }

    private let limit: Int
    private let lookUp: LookUp
    private let deliver: @Sendable (_ name: String, Result<[IPAddress], Failure>) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: The largest number of look-ups, and of threads, at once; at least 1.
    ///   - deliver: Called once for every ``start(_:)`` that was not abandoned, on any thread.
    init(
        limit: Int, lookUp: @escaping LookUp,
        deliver: @escaping @Sendable (_ name: String, Result<[IPAddress], Failure>) -> Void
    ) {
        self.limit = max(1, limit)
        self.lookUp = lookUp
        self.deliver = deliver
    }

    /// The numbers of names that are being looked up, and of names that wait for a thread.
    var counts: (running: Int, waiting: Int) { state.withLock { ($0.running.count, $0.waiting.count) } }

    /// Requests a name; does nothing when the name is already requested.
    func start(_ name: String) {
        let startsThread = state.withLock { state in
            guard !state.running.contains(name), !state.waiting.contains(name) else { return false }
            guard state.running.count < limit else {
                state.waiting.append(name)
                return false
            }
            state.running.insert(name)
            return true
        }
        guard startsThread else { return }
        guard let thread = PlatformThread.start(for: "http-lookup", { self.run(name) }) else {
            state.withLock { _ = $0.running.remove(name) }
            return deliver(name, .failure(Failure(message: "The process has no thread left to look it up.")))
        }
        PlatformThread.detach(thread)
    }

    /// Withdraws the request for a name, because no transfer waits for it any more.
    ///
    /// A look-up that has begun continues, and its answer is delivered.
    func abandon(_ name: String) {
        state.withLock { $0.waiting.removeAll { $0 == name } }
    }

    /// Looks up names until none waits.
    private func run(_ first: String) {
        var next: String? = first
        while let name = next {
            let result = lookUp(name)
            next = state.withLock { state in
                state.running.remove(name)
                guard !state.waiting.isEmpty else { return nil }
                let next = state.waiting.removeFirst()
                state.running.insert(next)
                return next
            }
            // After the removal of the name from the table: a later transfer starts a look-up of its own.
            deliver(name, result)
        }
    }
}

extension NameResolver {
    /// The largest number of addresses of a name that are tried; an answer may have hundreds.
    private static let addressLimit = 16

    /// Asks the system, as it is configured: its files, then DNS.
    static let system: LookUp = { name in
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let result = unsafe getaddrinfo(name, nil, &hints, &first)
        guard result == 0 else {
            return .failure(Failure(message: unsafe String(cString: gai_strerror(result))))
        }
        // The system owns the list, which is freed here.
        defer { unsafe freeaddrinfo(first) }
        var addresses: [IPAddress] = []
        var entry = unsafe first
        while let info = unsafe entry, addresses.count < addressLimit {
            if let address = unsafe address(of: info.pointee), !addresses.contains(address) {
                addresses.append(address)
            }
            unsafe entry = info.pointee.ai_next
        }
        return addresses.isEmpty ? .failure(Failure(message: "The name has no address.")) : .success(addresses)
    }

    private static func address(of info: addrinfo) -> IPAddress? {
        guard let address = unsafe info.ai_addr else { return nil }
        switch unsafe info.ai_family {
        case AF_INET:
            // The family gives the type of the pointer's target.
            return unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                .v4(UInt32(bigEndian: unsafe $0.pointee.sin_addr.s_addr))
            }
        case AF_INET6:
            return unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                unsafe withUnsafeBytes(of: $0.pointee.sin6_addr) { unsafe IPAddress(bytes: $0) }
            }
        default:
            return nil
        }
    }
}
