// SPDX-License-Identifier: MIT
import SharedStores
import TestSupport
import Testing
import WebImage

@testable import RedisStore

struct RedisAddressTests {
    @Test func `addresses of ports and sockets are read`() throws {
        let plain = try RedisAddress("redis://cache.internal")
        expectEqual(plain, RedisAddress(.port(host: "cache.internal", port: 6_379)))
        let whole = try RedisAddress("redis://me:p%40ss%3A@[::1]:7000/3")
        expectEqual(whole, RedisAddress(.port(host: "::1", port: 7_000), user: "me", password: "p@ss:", database: 3))
        try expectEqual(RedisAddress("redis://:secret@h/").password, "secret")
        let marks = try RedisAddress("redis://:p@ss@h")
        expectEqual(marks, RedisAddress(.port(host: "h", port: 6_379), password: "p@ss"))
        try expectEqual(RedisAddress("unix:///run/r.sock?db=2"), RedisAddress(.unix(path: "/run/r.sock"), database: 2))
        let longest = "/" + String(repeating: "a", count: 106)
        try expectEqual(RedisAddress("unix://" + longest), RedisAddress(.unix(path: longest)))
    }

    @Test func `an address with TLS may name certificates`() throws {
        try expectEqual(RedisAddress("rediss://h"), RedisAddress(.port(host: "h", port: 6_379), tls: .init()))
        let text = "rediss://me:p@h:1/2?cacert=/a%40b.pem&cert=/c.pem&key=/k.pem"
        let whole = try RedisAddress(text)
        let tls = RedisAddress.TLS(authorityPath: "/a@b.pem", certificatePath: "/c.pem", keyPath: "/k.pem")
        expectEqual(whole, RedisAddress(.port(host: "h", port: 1), user: "me", password: "p", database: 2, tls: tls))
        let file = try RedisAddress("rediss://h/0?cacert=/a@b.pem")
        expectEqual(file, RedisAddress(.port(host: "h", port: 6_379), tls: .init(authorityPath: "/a@b.pem")))
        try expectEqual(RedisAddress("rediss://h/?cert=/c.pem").tls, .init(certificatePath: "/c.pem"))
    }

    @Test(arguments: [
        "", "redis", "redis:", "redis://", "redis://h:70000", "redis://h:x", "redis://h/x", "redis://h/-1",
        "redis://u@h",
        "unix://relative", "unix:///a?db=x", "unix:///a?x=1", "unix://", "http://h", "redis://a:b:c", "redis://[::1",
        "redis://[::1]x6379",
        "redis://:p?ss@h",
        "redis://h?cacert=/a.pem", "rediss://h?ca=/a.pem", "rediss://h?cacert", "rediss://h?cacert=",
        "rediss://h?key=/k.pem", "rediss://h?cacert=/a.pem&key=/k.pem",
        "rediss://h?cacert=%zz", "rediss://?cacert=/a.pem", "rediss:///0", "unix:///a?db", "unix:///a?cacert=/a.pem",
        "unix:///" + String(repeating: "a", count: 107),
    ])
    func `anything else is refused`(text: String) {
        expectError(SharedStoreError.self) { try RedisAddress(text) }
    }

    @Test func `a program that gives an address alone has the times and sizes that the configuration tells`() {
        let usual = RedisStore.Configuration(RedisAddress(.unix(path: "/nowhere")))
        expectAll(usual.commandTimeout == .milliseconds(250), usual.connectTimeout == .milliseconds(500))
        expectAll(usual.pingInterval == .milliseconds(100), usual.leaseTime == .seconds(2))
        expectAll(usual.maximumLease == .seconds(60), usual.retryDelay == .milliseconds(50)...(.seconds(5)))
        expectAll(usual.maximumOriginalByteCount == 256 << 10, usual.maximumFileByteCount == 1 << 20)
        expectEqual(usual.prefix, "swi1")
    }

    @Test func `what hiredis lacks is refused with a way out`() {
        #expect { try RedisAddress("redis-cluster://h") } throws: { "\($0)".contains("primary") }
    }
}
