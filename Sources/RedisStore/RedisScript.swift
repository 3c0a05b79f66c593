// SPDX-License-Identifier: MIT
import COpenSSL
import SharedStores

/// The steps that happen at once on the server.
///
/// Each entry has five keys with one hash tag, so that they lie on one node of a cluster: the value, the lease, the
/// token, the word of a failure, and the mark that a process waits.
enum RedisScript: CaseIterable {
    case ask, renew, finish, prolong

    /// The text, in Lua.
    var text: String {
        switch self {
        // ARGV: the time of a lease. Returns {1} stored, {2, token} leads, {3, milliseconds} wait, {4, word} failed.
        case .ask:
            """
            if redis.call('EXISTS', KEYS[1]) == 1 then return {1} end
            local word = redis.call('GET', KEYS[4])
            if word then return {4, word} end
            local left = redis.call('PTTL', KEYS[2])
            if left > 0 then
                redis.call('SET', KEYS[5], '1', 'PX', left + 60000)
                return {3, left}
            end
            local token = redis.call('INCR', KEYS[3])
            redis.call('PEXPIRE', KEYS[3], 86400000)
            redis.call('SET', KEYS[2], token, 'PX', ARGV[1])
            return {2, token}
            """
        // ARGV: the token, the time of a lease.
        case .renew:
            "if redis.call('GET', KEYS[2]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[2], ARGV[2]) end return 0"
        // ARGV: the time. A longer one stays.
        case .prolong:
            """
            local left = redis.call('PTTL', KEYS[1])
            if left < 0 or left >= tonumber(ARGV[1]) then return 0 end
            return redis.call('PEXPIRE', KEYS[1], ARGV[1])
            """
        // ARGV: the token, 1 for a value, 4 for a word and 0 for neither, the bytes, their time, the channel, the
        // entry.
        case .finish:
            """
            if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
            local place = tonumber(ARGV[2])
            if place > 0 then redis.call('SET', KEYS[place], ARGV[3], 'PX', ARGV[4]) end
            redis.call('DEL', KEYS[2])
            if redis.call('DEL', KEYS[5]) == 1 then redis.call('PUBLISH', ARGV[5], ARGV[6]) end
            return 1
            """
        }
    }

    /// What makes them known to a server.
    static var loading: [RedisCommand] { allCases.map { RedisCommand(["SCRIPT", "LOAD", $0.text]) } }

    /// The name that the server gives the text.
    var digest: String { Self.digests[self] ?? "" }

    private static let digests = Dictionary(uniqueKeysWithValues: allCases.map { ($0, sha1(Array($0.text.utf8))) })

    private static func sha1(_ bytes: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: 20)  // what SHA-1 writes
        _ = unsafe SHA1(bytes, bytes.count, &digest)
        return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

// MARK: - Commands

extension RedisStore.Configuration {
    /// Where the ends of leases are told.
    var channel: String { "\(prefix):\(address.database):wake" }

    /// All keys of an entry have one hash tag.
    func name(_ key: SharedKey, _ part: String = "") -> String { "\(prefix):{\(key)}\(part)" }

    func storing(_ bytes: [UInt8], for key: SharedKey, lifetime: Duration) -> RedisCommand {
        RedisCommand(["SET", name(key)], value: bytes, then: ["PX", Self.milliseconds(lifetime)])
    }

    func prolonging(_ key: SharedKey, lifetime: Duration) -> RedisCommand {
        script(.prolong, key, [Self.milliseconds(lifetime)])
    }

    func asking(for key: SharedKey) -> RedisCommand { script(.ask, key, [Self.milliseconds(leaseTime)]) }

    func renewing(_ lease: SharedLease) -> RedisCommand {
        script(.renew, lease.key, ["\(lease.token)", Self.milliseconds(leaseTime)])
    }

    func finishing(_ lease: SharedLease, with end: SharedLeaseEnd) -> RedisCommand {
        let (place, bytes, lifetime): (String, [UInt8], Duration) =
            switch end {
            case .stored(let bytes, let lifetime): ("1", bytes, lifetime)
            case .failed(let word, let lifetime): ("4", word, lifetime)
            case .released: ("0", [], .seconds(1))
            }
        return script(
            .finish, lease.key, ["\(lease.token)", place], value: bytes,
            then: [Self.milliseconds(lifetime), channel, lease.key.description])
    }

    private func script(
        _ script: RedisScript, _ key: SharedKey, _ arguments: [String], value: [UInt8]? = nil, then rest: [String] = []
    ) -> RedisCommand {
        let keys = ["", ":lease", ":token", ":word", ":waits"].map { name(key, $0) }
        return RedisCommand(["EVALSHA", script.digest, "5"] + keys + arguments, value: value, then: rest)
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = min(max(.milliseconds(1), duration), .seconds(10_000_000_000)).components
        return String(seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }
}
