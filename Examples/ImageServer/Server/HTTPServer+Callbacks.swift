// SPDX-License-Identifier: MIT
import CMicrohttpd
import EventLoops
import Foundation
import WebImageTesting

// The callbacks of libmicrohttpd. Each copies what C lends it, and enters the actor, on whose thread it runs. A
// connection is named by its address: a number, which may cross into the actor.

private func server(_ context: UnsafeMutableRawPointer?) -> HTTPServer {
    unsafe Unmanaged<HTTPServer>.fromOpaque(context!).takeUnretainedValue()
}

func connectionCallback(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
    slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, event: MHD_ConnectionNotificationCode
) {
    let name = UInt(bitPattern: connection)
    guard event == .CONNECTION_NOTIFY_STARTED else {
        return unsafe server(context).onLoop(name, ()) { server, name, _ in server.connectionEnded(name) }
    }
    let descriptor = unsafe microhttpd_socket(connection)
    var text = [CChar](repeating: 0, count: 64)
    unsafe microhttpd_peer(descriptor, &text, text.count)
    let peer = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    unsafe server(context).onLoop(name, (descriptor, peer)) { server, name, socket in
        server.connectionBegan(name, descriptor: socket.0, peer: socket.1)
    }
}

func targetCallback(
    context: UnsafeMutableRawPointer?, target: UnsafePointer<CChar>?, connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    let name = UInt(bitPattern: connection)
    let target = unsafe String(cString: target!)
    unsafe server(context).onLoop(name, target) { server, name, target in server.exchangeBegan(name, target: target) }
    return nil
}

func requestCallback(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?, path: UnsafePointer<CChar>?,
    method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, content: UnsafePointer<CChar>?,
    contentCount: UnsafeMutablePointer<Int>?, slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    let name = UInt(bitPattern: connection)
    // The usual method costs no copy.
    let text = unsafe strcmp(method!, "GET") == 0 ? "GET" : String(cString: method!)
    let (start, target, end) = (UInt(bitPattern: method), UInt(bitPattern: path), UInt(bitPattern: version))
    return unsafe server(context).onLoop(name, (text, start, target, end)) { server, name, line in
        server.requestAdvanced(name, method: line.0) { targetCount in
            let layout = HeadLayout(
                method: line.1, methodCount: line.0.utf8.count, target: line.2, targetCount: targetCount,
                version: line.3)
            return unsafe head(OpaquePointer(bitPattern: name)!, layout)
        }
    }
}

func completionCallback(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
    slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, code: MHD_RequestTerminationCode
) {
    let name = UInt(bitPattern: connection)
    let isComplete = code == .REQUEST_TERMINATED_COMPLETED_OK
    unsafe server(context).onLoop(name, isComplete) { server, name, isComplete in
        server.exchangeEnded(name, isComplete: isComplete)
    }
}

/// The head of a request, read where libmicrohttpd keeps it.
private func head(_ connection: OpaquePointer, _ layout: HeadLayout) -> RequestHead {
    var reading = (head: RequestHead(), layout: layout)
    unsafe withUnsafeMutablePointer(to: &reading) { reading in
        _ = unsafe MHD_get_connection_values_n(
            connection, .HEADER_KIND,
            { reading, _, name, nameCount, value, valueCount in
                let reading = unsafe reading!.assumingMemoryBound(to: (head: RequestHead, layout: HeadLayout).self)
                // The texts are libmicrohttpd's for the time of this call.
                let (name, value) = unsafe (bytes(name, nameCount), bytes(value, valueCount))
                unsafe reading.pointee.layout.add(name: name, value: value)
                unsafe reading.pointee.head.add(
                    name: Span(_unsafeElements: name), value: Span(_unsafeElements: value))
                return .YES
            }, reading)
    }
    if HeadLayout.isKnown, unsafe !reading.layout.ends(after: microhttpd_head_size(connection)) {
        reading.head.refuseLayout()
    }
    return reading.head
}

private func bytes(_ start: UnsafePointer<CChar>?, _ count: Int) -> UnsafeBufferPointer<UInt8> {
    guard let start = unsafe start else { return unsafe UnsafeBufferPointer(start: nil, count: 0) }
    return unsafe UnsafeBufferPointer(
        start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self), count: count)
}

/// The names of requests in the log.
///
/// Numbers of a sequence that begins at random and visits each number once, so that a name costs no call of the system.
struct RequestID {
    private static let digits: [16 of UInt8] = [
        0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66,
    ]
    private var numbers = SeededGenerator(seed: .random(in: 0...UInt64.max))

    /// 16 hexadecimal digits.
    mutating func next() -> String {
        let number = numbers.next()
        return unsafe String(unsafeUninitializedCapacity: 16) { text in
            for place in 0..<16 { unsafe text[place] = Self.digits[Int(number >> UInt64(60 - place * 4) & 15)] }
            return 16
        }
    }
}
