// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

@Suite(.replayed)
struct IPAddressTests {
    @Test func `an address is read and written, and what is none is refused`() {
        for (text, canonical) in [
            ("1.2.3.4", "1.2.3.4"), ("255.255.255.255", "255.255.255.255"), ("0.0.0.0", "0.0.0.0"), ("::", "::"),
            ("::1", "::1"), ("1::", "1::"), ("2001:DB8:0:0:8:800:200C:417A", "2001:db8::8:800:200c:417a"),
            ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
            ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
            ("1:0:0:2:3:0:0:4", "1::2:3:0:0:4"), ("::ffff:1.2.3.4", "::ffff:102:304"),
            ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"), ("0001::", "1::"),
        ] as [(String, String)] {
            let address = IPAddress(text)
            expectEqual(address?.description, canonical, "\(text)")
            expectEqual(IPAddress(canonical), address, "\(text)")
        }
        for text in [
            "", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "0x7f.0.0.1", "127.1", "2130706433", "1.2.3.",
            ".1.2.3", "1..2.3", "1.2.3.4 ", " 1.2.3.4", "+1.2.3.4", "1.2.3.4/8", "[::1]", "::1%eth0", ":::",
            "1::2::3", ":1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "12345::",
            "g::", "::1.2.3", "1.2.3.4::", "1:2:3:4:5:6:7:1.2.3.4", "::1:", ":1::", "١.٢.٣.٤",
            String(repeating: "1", count: 400), String(repeating: ":", count: 45), "-1::", "+1::",
            "127.0.0.1\0", "::1\0x",
        ] as [String] {
            expectNil(IPAddress(text), "\(text)")
        }
        // Bytes are in network order.
        expectEqual(IPAddress(bytes: [127, 0, 0, 1]), IPAddress("127.0.0.1"))
        expectEqual(IPAddress(bytes: [UInt8](repeating: 0, count: 15) + [1]), IPAddress("::1"))
        expectNil(IPAddress(bytes: [1, 2, 3]))
        expectNil(IPAddress(bytes: [UInt8](repeating: 0, count: 17)))
    }

    @Test(arguments: Seeds.first(10)) func `Every address survives being written and read`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            // Sparse bits, so that runs of zeros of every length and place come up.
            var bits = UInt128.random(in: 0 ... .max, using: &generator)
            bits &= UInt128.random(in: 0 ... .max, using: &generator)
            for group in 0..<8 where Bool.random(using: &generator) {
                let mask: UInt128 = 0xFFFF << UInt128(16 * group)
                bits &= ~mask
            }
            expectEqual(IPAddress(IPAddress.v6(bits).description), .v6(bits))
        }
    }

    @Test func `a network is read, and holds the addresses of its own family`() throws {
        for (text, length) in [
            ("10.0.0.0/8", 8), ("0.0.0.0/0", 0), ("1.2.3.4", 32), ("::/0", 0), ("fe80::/10", 10), ("::1", 128),
        ] as [(String, Int)] {
            expectEqual(IPNetwork(text)?.prefixLength, length, "\(text)")
        }
        for text in [
            "", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "a/8",
        ] {
            expectNil(IPNetwork(text), "\(text)")
        }
        expectEqual(IPNetwork("10.9.8.7/8")?.description, "10.0.0.0/8")
        for (network, address, holds) in [
            ("10.9.8.7/8", "10.255.255.255", true), ("10.9.8.7/8", "11.0.0.0", false),
            ("10.9.8.7/8", "::ffff:10.0.0.1", false), ("0.0.0.0/0", "255.1.1.1", true), ("::/0", "ffff::", true),
            ("::/0", "1.1.1.1", false),
        ] as [(String, String, Bool)] {
            let isHeld = try required(IPNetwork(network)).contains(try required(IPAddress(address)))
            expectEqual(isHeld, holds, "\(address) in \(network)")
        }
    }
}
