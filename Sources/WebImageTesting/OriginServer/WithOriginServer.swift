// SPDX-License-Identifier: MIT
/// Starts a server for the time of a closure, and stops it when the closure returns or throws.
///
/// **Isolation**: the closure runs on the caller's executor.
///
/// - Throws: ``OriginError`` when the server cannot be started, and what the closure throws.
public func withOriginServer<Result>(
    tls certificate: TestCertificate? = nil,
    configuration: OriginServer.Configuration = OriginServer.Configuration(),
    _ body: (OriginServer) async throws -> Result
) async throws -> Result {
    let origin = try OriginServer.start(tls: certificate, configuration: configuration)
    defer { origin.stop() }
    return try await body(origin)
}
