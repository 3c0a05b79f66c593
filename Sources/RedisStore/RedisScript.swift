// SPDX-License-Identifier: MIT
import COpenSSL

/// The steps that happen at once on the server.
///
/// Each entry has five keys with one hash tag, so that they lie on one node of a cluster: the value, the lease, the
/// token, the word of a failure, and the mark that a process waits.
enum RedisScript: CaseIterable {
    case ask, renew, finish

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
