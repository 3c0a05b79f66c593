// SPDX-License-Identifier: MIT
import Foundation
import HTTPCaching
import HTTPTransport
import WebImage
import WebImageTesting

/// A caching proxy in front of one origin, for whole responses of any type: `raw-proxy http://127.0.0.1:8000 8080`.
/// With an absolute path as a third word it keeps them in that folder, and knows them after a restart. The first Ctrl-C
/// or `SIGTERM` ends it in order.
///
/// The lesson: the rules of HTTP are functions of values. The proxy around them is a look-up, a switch and an exchange.
@main
struct RawProxy {
    private static let usage = """
        usage: raw-proxy ORIGIN PORT [FOLDER]
        Listens on PORT of this machine, and keeps the responses of ORIGIN as the rules of HTTP allow it, such as:
        raw-proxy http://127.0.0.1:8000 8080. With FOLDER, an absolute path, it knows them after a restart.
        """

    static func main() async throws {
        if Version.isPrinted(for: "raw-proxy") { return }
        let words = CommandLine.arguments.dropFirst()
        if words.elementsEqual(["--help"]) { return print(usage) }
        guard (2...3).contains(words.count), let first = words.first, let port = UInt16(words[words.startIndex + 1]),
            let origin = URL(string: first), CacheTarget(origin) != nil, origin.query == nil, origin.fragment == nil
        else {
            FileHandle.standardError.write(Data((usage + "\n").utf8))
            exit(2)
        }
        let connections: Int
        do throws(HTTPError) {
            // Three for each client that waits for an answer; the client of the origin takes at most half, and some are
            // for the files of the folder.
            connections = min(512, try await Descriptors.prepare(needing: 20) / 8)
        } catch {
            FileHandle.standardError.write(Data("raw-proxy: \(error.message)\n".utf8))
            exit(1)
        }
        let interrupt = Interrupt()
        var configuration = HTTPClient.Configuration()
        configuration.addressPolicy = .unrestricted  // the origin is named by the caller
        configuration.maximumRedirects = 0
        let client = HTTPClient(configuration: configuration)
        var rules = HTTPCacheRules.shared
        rules.varyFields = .anyWithoutCredentials
        let warn = { @Sendable (error: CacheError) in
            FileHandle.standardError.write(Data("raw-proxy: the cache does not work: \(error)\n".utf8))
        }
        let disk = words.count == 3 ? DiskCache(.init(folder: words[words.endIndex - 1], onWarning: warn)) : nil
        let memory = MemoryStore()
        async let _: Void = memory.watchMemory()
        let store: any RawResponseStoring = disk.map { ResponseCache($0) } ?? memory
        let proxy = Proxy(client: client, store: store, rules: rules)
        let server = try proxy.serve(origin: bare(origin), port: port, connections: connections)
        let line = "http://127.0.0.1:\(server.port) in front of \(origin.absoluteString)\n"
        FileHandle.standardOutput.write(Data(line.utf8))
        await interrupt.wait()
        server.stop()
        await client.shutdown()
        _ = await disk?.shutdown(within: .seconds(10))
    }

    /// The address without a slash at its end.
    private static func bare(_ origin: URL) -> URL {
        let text = origin.absoluteString
        return text.hasSuffix("/") ? URL(string: String(text.dropLast())) ?? origin : origin
    }
}
