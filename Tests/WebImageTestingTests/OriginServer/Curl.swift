// SPDX-License-Identifier: MIT
import Foundation
import Testing
import WebImageTesting

/// The `curl` and `openssl` commands, as clients with another TLS implementation.
enum Curl {
    /// Whether the tests run: where curl is installed, and where its absence is a failure.
    static let canRun =
        FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")
        || ProcessInfo.processInfo.environment["REQUIRE_CURL"] != nil
    static let hint: Comment = "Install curl to run these; REQUIRE_CURL=1 fails them without."

    /// Runs curl and waits for it.
    ///
    /// - Returns: Its output, including errors, and its exit status.
    static func run(_ arguments: String...) throws -> (output: String, status: Int32) {
        try command(
            "/usr/bin/curl", ["--silent", "--show-error", "--noproxy", "*", "--max-time", "60"] + arguments)
    }

    /// Sends a request for a path by `openssl s_client`, which reports how TLS ended.
    ///
    /// - Returns: Its output, including errors, and its exit status.
    static func sendByOpenSSL(_ path: String, to origin: OriginServer) throws -> (output: String, status: Int32) {
        try command(
            "/usr/bin/openssl", ["s_client", "-quiet", "-connect", "127.0.0.1:\(origin.port)"],
            input: "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
    }

    private static func command(
        _ path: String, _ arguments: [String], input: String = ""
    ) throws -> (output: String, status: Int32) {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        let (stdin, stdout) = (Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = stdout
        try process.run()
        // The input stays open until the command has ended by itself.
        try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        let output = stdout.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (String(decoding: output, as: UTF8.self), process.terminationStatus)
    }
}
