// SPDX-License-Identifier: MIT
import Foundation
import WebImage

/// The server with its loader, its metrics and its log.
struct RunningServer: Sendable {
    let manager: ImageManager
    private let loader: Settings.Loader
    let port: UInt16
    let metricsPort: UInt16?
    private let service: ImageService
    private let server: HTTPServer
    private let metricsServer: HTTPServer?
    private let log: AccessLog?
    private let drainTimeout: Duration

    /// Opens the ports and serves.
    ///
    /// - Parameters:
    ///   - samples: What the page offers; empty for none.
    /// - Throws: ``ServerError`` when a port cannot be opened; nothing runs then.
    static func start(_ settings: Settings, samples: [DemoPage.Sample] = []) async throws -> RunningServer {
        let address = settings.socketPath.map { ServerAddress.unix(path: $0) }
        let socket = try ListeningSocket(address ?? .port(host: settings.host, port: settings.port))
        var metricsSocket: ListeningSocket?
        if let port = settings.metricsPort {
            do {
                metricsSocket = try ListeningSocket(.port(host: settings.metricsHost, port: port))
            } catch {
                close(socket.descriptor)
                throw error
            }
        }
        let loader = await settings.loader()
        let manager = loader.manager
        let metrics = Metrics()
        let log = settings.writesLog ? AccessLog() : nil
        let page = settings.showsPage ? DemoPage(samples: samples, manager: manager, metrics: metrics) : nil
        let service = ImageService(
            loader: manager, reader: settings.reader, freshness: settings.freshness, page: page)
        let loop = try ServerLoop()
        let server = HTTPServer(
            on: loop, limits: settings.limits,
            onEnd: {
                metrics.count($0)
                log?.write($0)
            }, handler: { await service.answer($0) })
        let metricsServer = metricsSocket.map { _ in
            HTTPServer(on: loop) { request in
                if request.path != "/metrics" { return service.answerProbe(request) }
                return await Self.metricsAnswer(metrics, server, manager)
            }
        }
        try await server.start(socket)
        if let metricsSocket { try await metricsServer?.start(metricsSocket) }
        return RunningServer(
            manager: manager, loader: loader, port: socket.port, metricsPort: metricsSocket?.port, service: service,
            server: server, metricsServer: metricsServer, log: log, drainTimeout: settings.drainTimeout)
    }

    private static func metricsAnswer(
        _ metrics: Metrics, _ server: HTTPServer, _ manager: ImageManager
    ) async -> Answer {
        let present = await Metrics.Present(
            connections: server.connectionCount, requests: server.runningCount, counters: manager.counters,
            occupancy: manager.occupancy)
        return .text(200, metrics.text(present), type: "text/plain; version=0.0.4; charset=utf-8")
    }

    /// What the end of a server has dropped.
    struct Report: Sendable {
        /// Requests that were cancelled or cut off.
        let droppedRequestCount: Int
        let loads: ShutdownReport

        var isClean: Bool { droppedRequestCount == 0 && loads.isClean }
    }

    /// Takes no more connections, finishes running requests within the time of the settings, and ends.
    ///
    /// The port of the metrics is open, and says that the server is not ready, until the requests have ended.
    func drain() async -> Report {
        let clock = ContinuousClock()
        let deadline = clock.now + drainTimeout
        service.drain()
        let dropped = await server.drain(within: drainTimeout)
        _ = await metricsServer?.drain(within: .seconds(1))
        let loads = await manager.shutdown(within: max(.zero, deadline - clock.now))
        await loader.caches?.shutdown(within: max(.milliseconds(250), deadline - clock.now))
        log?.flush()
        return Report(droppedRequestCount: dropped, loads: loads)
    }
}
