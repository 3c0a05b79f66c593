// SPDX-License-Identifier: MIT
import CBenchBaselines
import Foundation

/// A web server in a process of its own, so that its work is not measured.
///
/// The code that starts it must stop it; it also ends with this process.
struct Origin: Sendable {
    private let server: bench_server

    /// Creates an origin and starts its process.
    ///
    /// - Parameter routes: The body for each path prefix; a path without one gets the first. At most 8.
    init(_ routes: KeyValuePairs<String, [UInt8]>) throws {
        // The child has its own copy of all memory since the fork, so the parent's may be freed at the end of this
        // call.
        var storage: [UnsafeMutablePointer<CChar>] = unsafe []
        defer { unsafe storage.forEach { unsafe free($0) } }
        var table: [bench_route] = unsafe []
        for (prefix, body) in routes {
            guard let name = unsafe strdup(prefix), let copy = unsafe malloc(max(1, body.count)) else {
                throw Failure("out of memory")
            }
            unsafe storage.append(name)
            unsafe storage.append(copy.assumingMemoryBound(to: CChar.self))
            unsafe copy.copyMemory(from: body, byteCount: body.count)
            unsafe table.append(
                bench_route(prefix: UnsafePointer(name), body: UnsafeRawPointer(copy), count: body.count))
        }
        server = unsafe bench_server_start(table, Int32(table.count))
        guard server.process > 0 else { throw Failure("could not start the origin's process") }
    }

    func stop() { bench_server_stop(server) }

    func url(_ path: String) throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(server.port)\(path)") else {
            throw Failure("no URL: \(path)")
        }
        return url
    }
}
