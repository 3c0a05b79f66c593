#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension NameResolver {
    /// Most addresses of a name that are tried; an answer may have hundreds.
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
        // The list is the system's until it is freed here.
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
            // The family says what is behind the pointer.
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
