// SPDX-License-Identifier: MIT
import CMicrohttpd
import Foundation

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
        return unsafe server(context).assumeIsolated { $0.connectionEnded(name) }
    }
    let descriptor = unsafe microhttpd_socket(connection)
    var text = [CChar](repeating: 0, count: 64)
    unsafe microhttpd_peer(descriptor, &text, text.count)
    let peer = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    unsafe server(context).assumeIsolated { $0.connectionBegan(name, descriptor: descriptor, peer: peer) }
}

func targetCallback(
    context: UnsafeMutableRawPointer?, target: UnsafePointer<CChar>?, connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    let name = UInt(bitPattern: connection)
    let target = unsafe String(cString: target!)
    unsafe server(context).assumeIsolated { $0.exchangeBegan(name, target: target, id: RequestID.make()) }
    return nil
}

func requestCallback(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?, path: UnsafePointer<CChar>?,
    method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, content: UnsafePointer<CChar>?,
    contentCount: UnsafeMutablePointer<Int>?, slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    let name = UInt(bitPattern: connection)
    let method = unsafe String(cString: method!)
    return unsafe server(context).assumeIsolated { server in
        server.requestAdvanced(name, method: method) { unsafe headerFields(OpaquePointer(bitPattern: name)!) }
    }
}

func completionCallback(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
    slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, code: MHD_RequestTerminationCode
) {
    let name = UInt(bitPattern: connection)
    let isComplete = code == .REQUEST_TERMINATED_COMPLETED_OK
    unsafe server(context).assumeIsolated { $0.exchangeEnded(name, isComplete: isComplete) }
}

/// The fields of a request, with names in lower case.
private func headerFields(_ connection: OpaquePointer) -> [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    unsafe withUnsafeMutablePointer(to: &fields) { fields in
        _ = unsafe MHD_get_connection_values(
            connection, .HEADER_KIND,
            { fields, _, name, value in
                let fields = unsafe fields!.assumingMemoryBound(to: [(name: String, value: String)].self)
                let name = unsafe name.map { unsafe String(cString: $0).lowercased() } ?? ""
                unsafe fields.pointee.append((name, value.map { unsafe String(cString: $0) } ?? ""))
                return .YES
            }, fields)
    }
    return fields
}

/// The names of requests in the log.
enum RequestID {
    /// 16 hexadecimal digits at random.
    static func make() -> String {
        let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
