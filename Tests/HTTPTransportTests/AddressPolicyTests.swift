// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import HTTPTransport

struct AddressPolicyTests {
    static let refused = [
        "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
        "127.255.255.255", "169.254.0.1", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.0", "192.0.0.255",
        "192.0.2.1", "192.88.99.1", "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.7",
        "203.0.113.255", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
        "::", "::1", "::2", "::127.0.0.1", "::8.8.8.8", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fe80::1",
        "febf::1", "fec0::1", "ff00::", "ff02::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "::ffff:10.0.0.1",
        "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:0:8.8.8.8", "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::1", "2002:7f00:1::", "2002:a00:1::1", "2002:c0a8:101::1", "2001::1",
        "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "2001:10::1", "2001:1ff:ffff::", "2001:db8::1", "2001:db8:ffff::1",
        "3fff::1", "3fff:fff:ffff::1", "100::1", "1fff:ffff::1", "4000::1", "5f00::1",
    ]

    static let allowed = [
        "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
        "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0",
        "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
        "198.51.99.255",
        "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "8.8.8.8",
        "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1", "2001:200::1", "2001:4860:4860::8888", "2001:db7::1",
        "2001:db9::1", "2000::", "2606:4700::1111", "3ffe:ffff::1", "3fff:1000::", "2003::1",
    ]

    @Test func `the default refuses what is not public, and allows the rest`() throws {
        for text in Self.refused {
            let address = try required(IPAddress(text))
            expect(!AddressPolicy.publicInternet.allows(address), "\(text)")
            expectEqual(AddressPolicy.publicInternet.reasonToRefuse(address)?.isEmpty, false, "\(text)")
            expect(AddressPolicy.unrestricted.allows(address), "\(text)")
        }
        for text in Self.allowed {
            expect(AddressPolicy.publicInternet.allows(try required(IPAddress(text))), "\(text)")
        }
        expectEqual(IPAddress("169.254.169.254")?.reservation?.contains("metadata"), true)
    }

    @Test func `An allowed network is allowed and nothing else`() throws {
        let policy = AddressPolicy.publicInternet(
            allowing: [try required(IPNetwork("10.1.0.0/16")), try required(IPNetwork("fd00:1::/32"))])
        expect(policy.allows(try required(IPAddress("10.1.2.3"))))
        expect(policy.allows(try required(IPAddress("::ffff:10.1.2.3"))))
        expect(policy.allows(try required(IPAddress("fd00:1::5"))))
        expect(policy.allows(try required(IPAddress("8.8.8.8"))))
        expect(!policy.allows(try required(IPAddress("10.2.0.1"))))
        expect(!policy.allows(try required(IPAddress("fd00:2::5"))))
        expect(!policy.allows(try required(IPAddress("64:ff9b::10.1.2.3"))))
    }
}
