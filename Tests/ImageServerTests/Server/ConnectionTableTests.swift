// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import ImageServer

struct ConnectionTableTests {
    @Test(arguments: 0..<20) func `the oldest idle connection is the one of a naive list`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (table, idle, all) = (ConnectionTable(), [Int32](), [Int32: Connection]())
        for step in 0..<2_000 {
            let descriptor = Int32.random(in: 0..<40, using: &generator)
            let connection = all[descriptor]
            switch Int.random(in: 0..<5, using: &generator) {
            case 0 where connection == nil:
                all[descriptor] = Connection(descriptor: descriptor, peer: "\(descriptor % 3)")
                table.insert(all[descriptor]!)
            case 1:
                guard let connection = all.removeValue(forKey: descriptor) else { continue }
                table.remove(connection)
                idle.removeAll { $0 == descriptor }
            case 2:
                guard let connection else { continue }
                table.beginIdling(connection, at: UInt64(step))
                idle.removeAll { $0 == descriptor }
                idle.append(descriptor)
            case 3:
                guard let connection else { continue }
                table.giveWayFirst(connection)
                idle.removeAll { $0 == descriptor }
                idle.insert(descriptor, at: 0)
            default:
                guard let connection else { continue }
                table.endIdling(connection)
                idle.removeAll { $0 == descriptor }
            }
            expectEqual(table.oldestIdle?.descriptor, idle.first)
            expectEqual(table.count, all.count)
            expectEqual(table.count(of: "1"), all.keys.count { $0 % 3 == 1 })
        }
        for connection in all.values { table.remove(connection) }
        expectNil(table.oldestIdle)
        expectEqual(table.count, 0)
        // The bytes that wait are those of the answers that wait.
        for (number, connection) in all.values.enumerated() {
            connection.output = Output(head: [UInt8](repeating: 0, count: number + 1), body: [])
            table.insert(connection)
            table.beginWaiting(connection)
        }
        expectEqual(table.waitingByteCount, all.count * (all.count + 1) / 2)
        for connection in all.values { if connection.descriptor % 2 == 0 { table.endWaiting(connection) } }
        for connection in all.values { table.remove(connection) }
        expectEqual(table.waitingByteCount, 0)
        expectEqual(table.count(of: "1"), 0)
    }

    @Test func `bytes that have left wait no longer`() throws {
        var ends: [Int32] = [0, 0]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { ends.forEach { close($0) } }
        var table = ConnectionTable()
        let connection = Connection(descriptor: ends[0], peer: "")
        connection.output = Output(head: [1, 2], body: [3])
        table.insert(connection)
        table.beginWaiting(connection)
        expectEqual(table.waitingByteCount, 3)
        _ = table.push(connection)
        expectEqual(table.waitingByteCount, 0)
    }

    @Test func `an answer that begins after the clock was read is that of a quick reader`() {
        var table = ConnectionTable()
        let began: [UInt64] = [5_000, 2_000, 9_000]
        for (descriptor, time) in began.enumerated() {
            let connection = Connection(descriptor: Int32(descriptor), peer: "")
            connection.sendingBegan = time
            table.insert(connection)
            table.beginWaiting(connection)
        }
        expectEqual(table.slowestReader(at: 4_000)?.descriptor, 1)
    }

    @Test func `the address of a client has its usual form`() {
        for (family, place, bytes, text) in [
            (AF_INET, 4, [192, 0, 2, 7], "192.0.2.7"), (AF_UNIX, 4, [1], ""),
            (AF_INET6, 8, [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7], "2001:db8::7"),
        ] as [(Int32, Int, [UInt8], String)] {
            var address = sockaddr_storage()
            address.ss_family = sa_family_t(family)
            unsafe withUnsafeMutableBytes(of: &address) { all in
                for (index, byte) in bytes.enumerated() { unsafe all[place + index] = byte }
            }
            expectEqual(HTTPServer.text(of: address), text)
        }
    }
}
