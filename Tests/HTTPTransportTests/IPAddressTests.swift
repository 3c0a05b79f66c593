import TestSupport
import Testing
import WebImageTesting

// SPDX-License-Identifier: MIT
@testable import HTTPTransport

@Suite(.replayed)
struct IPAddressTests {
    @Test(arguments: [
        ("1.2.3.4", "1.2.3.4"), ("255.255.255.255", "255.255.255.255"), ("0.0.0.0", "0.0.0.0"), ("::", "::"),
        ("::1", "::1"), ("1::", "1::"), ("2001:DB8:0:0:8:800:200C:417A", "2001:db8::8:800:200c:417a"),
        ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
        ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
        ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("1:0:0:2:3:0:0:4", "1::2:3:0:0:4"), ("::ffff:1.2.3.4", "::ffff:102:304"),
        ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"), ("0001::", "1::"),
    ])
    func `Addresses are read and written`(_ text: String, _ canonical: String) throws {
        let address = try #require(IPAddress(text))
        expectEqual(address.description, canonical)
        expectEqual(IPAddress(canonical), address)
    }

    @Test(arguments: [
        "", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "0x7f.0.0.1", "127.1", "2130706433", "1.2.3.", ".1.2.3",
        "1..2.3", "1.2.3.4 ", " 1.2.3.4", "+1.2.3.4", "1.2.3.4/8", "[::1]", "::1%eth0", ":::", "1::2::3",
        ":1:2:3:4:5:6:7:8",
        "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "12345::", "g::", "::1.2.3", "1.2.3.4::",
        "1:2:3:4:5:6:7:1.2.3.4",
        "::1:", ":1::", "١.٢.٣.٤", String(repeating: "1", count: 400), String(repeating: ":", count: 45), "-1::",
        "+1::",
    ])
    func `What is not an address is refused`(_ text: String) {
        expectNil(IPAddress(text))
    }

    @Test func `Bytes in network order make addresses`() {
        expectEqual(IPAddress(bytes: [127, 0, 0, 1]), IPAddress("127.0.0.1"))
        expectEqual(IPAddress(bytes: [UInt8](repeating: 0, count: 15) + [1]), IPAddress("::1"))
        expectNil(IPAddress(bytes: [1, 2, 3]))
        expectNil(IPAddress(bytes: [UInt8](repeating: 0, count: 17)))
    }

    @Test(arguments: Seeds.first(10)) func `Every address survives being written and read`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            // Sparse bits, so that runs of zeros of every length and place come up.
            let bits =
                UInt128.random(in: 0 ... .max, using: &generator) & UInt128.random(in: 0 ... .max, using: &generator)
            let masked = (0..<8).reduce(bits) { bits, group in
                Bool.random(using: &generator) ? bits & ~(0xFFFF << UInt128(16 * group)) : bits
            }
            expectEqual(IPAddress(IPAddress.v6(masked).description), .v6(masked))
        }
    }

    @Test(arguments: [
        ("10.0.0.0/8", 8), ("0.0.0.0/0", 0), ("1.2.3.4", 32), ("::/0", 0), ("fe80::/10", 10), ("::1", 128),
    ])
    func `Networks are read`(_ text: String, _ length: Int) throws {
        try expectEqual(#require(IPNetwork(text)).prefixLength, length)
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "a/8",
    ])
    func `What is not a network is refused`(_ text: String) {
        expectNil(IPNetwork(text))
    }

    @Test func `A network holds its addresses, of its own family`() throws {
        let network = try #require(IPNetwork("10.9.8.7/8"))
        expectEqual(network.description, "10.0.0.0/8")
        #expect(network.contains(try #require(IPAddress("10.255.255.255"))))
        expect(!network.contains(try #require(IPAddress("11.0.0.0"))))
        expect(!network.contains(try #require(IPAddress("::ffff:10.0.0.1"))))
        #expect(try #require(IPNetwork("0.0.0.0/0")).contains(try #require(IPAddress("255.1.1.1"))))
        #expect(try #require(IPNetwork("::/0")).contains(try #require(IPAddress("ffff::"))))
        #expect(!(try #require(IPNetwork("::/0")).contains(try #require(IPAddress("1.1.1.1")))))
    }
}
