// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.replayed)
struct SharedAccountTests {
    /// A cache, and the expected values of the account.
    private struct Member {
        var account = SharedAccount()
        var stored = 0
        var reported = 0
        var foreign = 0
        var hasForeignChange = false
    }

    @Test(arguments: Seeds.first(20))
    func `each cache knows what the others have added since it listed, and no more`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var members = [Member(), Member(), Member()]
        var total = 0
        for _ in 0..<500 {
            let one = Int.random(in: 0..<3, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0:  // it lists
                members[one].account.observe(total, afterAdding: 0)
                members[one].account.beginListing()
                (members[one].foreign, members[one].hasForeignChange) = (0, false)
            case 1:  // the step fails
                let units = members[one].account.takeUnits(step: 0)
                members[one].account.observe(nil, afterAdding: units)
            default:
                let bytes = Int.random(in: 0...5_000, using: &random)
                members[one].stored += bytes
                members[one].account.add(bytes: bytes)
                let units = members[one].account.takeUnits(step: 2_048)
                total += units
                members[one].reported += units * SharedAccount.unit
                for other in 0..<3 where other != one && units > 0 {
                    members[other].foreign += units
                    members[other].hasForeignChange = true
                }
                members[one].account.observe(total, afterAdding: units)
            }
            let member = members[one]
            #expect(member.account.unreportedBytes == member.stored - member.reported)
            if member.account.expectedUnits == total {
                #expect(member.account.foreignUnits == member.foreign)
                #expect(member.account.isStale == member.hasForeignChange)
            }
        }
        #expect(total > 500)
    }

    @Test func `a new account of another cache makes the index doubtful, and counting continues`() {
        var account = SharedAccount()
        account.observe(100, afterAdding: 0)
        account.beginListing()
        #expect(!account.isStale)
        account.observe(3, afterAdding: 0)
        #expect(account.isStale)
        #expect(account.foreignUnits == 0)
        account.observe(10, afterAdding: 2)
        #expect(account.foreignUnits == 5)
        account.beginListing()
        account.begin()
        account.observe(1, afterAdding: 1)
        #expect(!account.isStale)
    }

    @Test func `no size of the account traps`() {
        var account = SharedAccount()
        for _ in 0..<3 {
            for size in [Int.max, 0, -1, .min, 1 << 41] { account.observe(size, afterAdding: 1) }
        }
        #expect(account.foreignBytes <= 1 << 50)
    }
}
