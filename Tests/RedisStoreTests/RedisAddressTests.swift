// SPDX-License-Identifier: MIT
import Testing
import WebImage

@testable import RedisStore

struct RedisAddressTests {
    @Test func `addresses of ports and sockets are read`() throws {
        let plain = try RedisAddress("redis://cache.internal")
        #expect(plain == RedisAddress(.port(host: "cache.internal", port: 6_379)))
        let whole = try RedisAddress("redis://me:p%40ss%3A@[::1]:7000/3")
        #expect(whole == RedisAddress(.port(host: "::1", port: 7_000), user: "me", password: "p@ss:", database: 3))
        #expect(try RedisAddress("redis://:secret@h/").password == "secret")
        #expect(try RedisAddress("unix:///run/r.sock?db=2") == RedisAddress(.unix(path: "/run/r.sock"), database: 2))
    }

    @Test(arguments: [
        "", "redis", "redis:", "redis://", "redis://h:70000", "redis://h:x", "redis://h/x", "redis://h/-1",
        "redis://u@h",
        "unix://relative", "unix:///a?db=x", "unix:///a?x=1", "unix://", "http://h", "redis://a:b:c", "redis://[::1",
    ])
    func `anything else is refused`(text: String) {
        #expect(throws: SharedStoreError.self) { try RedisAddress(text) }
    }

    @Test func `what hiredis lacks is refused with a way out`() {
        #expect { try RedisAddress("rediss://h") } throws: { "\($0)".contains("stunnel") }
        #expect { try RedisAddress("redis-cluster://h") } throws: { "\($0)".contains("primary") }
    }
}
