// SPDX-License-Identifier: MIT
import EventLoops
import HTTPTransport
import PlatformBasics
import RedisStore
import SharedStores
import WebImage

/// The server with its loader, its metrics and its log.
struct RunningServer: Sendable {
    let manager: ImageManager
    private let loader: Settings.Loader
    let port: UInt16
    let metricsPort: UInt16?
    let service: ImageService
    /// One for each loop.
    let servers: [HTTPServer]
    private let metricsServer: HTTPServer?
    /// The thread of each server; that of the metrics shares the first.
    private let loops: [EventLoop]
    private let log: AccessLog?
    /// Reads the activities of the loader.
    private let reporting: Task<Void, Never>
    private let drainTimeout: Duration

    /// Opens the ports and serves.
    ///
    /// - Parameters:
    ///   - samples: What the page offers; empty for none.
    /// - Throws: ``ServerError`` when a port cannot be opened; nothing runs then.
    static func start(_ settings: Settings, samples: [DemoPage.Sample] = []) async throws -> RunningServer {
        let sockets = try Self.sockets(settings)
        var metricsSocket: ListeningSocket?
        if let port = settings.metricsPort {
            do {
                metricsSocket = try ListeningSocket(.port(host: settings.metricsHost, port: port))
            } catch {
                for socket in sockets { close(socket.descriptor) }
                throw error
            }
        }
        let shares = settings.shares(free: Descriptors.freeCount)
        var settings = settings
        settings.limits.connections = shares.connections
        settings.transfers = shares.transfers
        let recent = RecentHits()
        let loader = try await settings.loader { recent.respond(to: $0) }
        let manager = loader.manager
        let metrics = Metrics()
        let log = settings.writesLog ? AccessLog() : nil
        let page = settings.showsPage ? DemoPage(samples: samples, manager: manager, metrics: metrics) : nil
        let service = ImageService(
            loader: manager, reader: settings.reader, freshness: settings.freshness, recent: recent,
            errors: settings.errors, failOn: settings.failOn, page: page)
        // Ends with the manager. What waits keeps its addresses: some 35 MB at most, with addresses of 8 kB.
        let activities = manager.activities(keeping: 4_096)
        let loadLog = settings.logsLoads ? log : nil
        let reporting = Task.detached {
            for await activity in activities {
                metrics.count(activity)
                loadLog?.write(activity)
            }
        }
        let loops = sockets.map { _ in EventLoop(name: "image-server") }
        let limits = settings.limits.shared(by: loops.count)
        let servers = loops.map { loop in
            HTTPServer(
                on: loop, limits: limits,
                onEnd: {
                    if page != nil && $0.target == DemoPage.figuresTarget { return }
                    metrics.count($0)
                    log?.write($0)
                }, recall: { $0.isProbe ? service.answerProbe($0) : service.recall($0) },
                handler: { await service.answer($0) })
        }
        let metricsServer = metricsSocket.map { _ in
            HTTPServer(on: loops[0], limits: HTTPServer.Limits(connections: shares.probes)) { request in
                let trouble = await loader.disk?.trouble
                if request.path != "/metrics" { return service.answerProbe(request, trouble: trouble) }
                return await Self.metricsAnswer(metrics, servers, loader, recent)
            }
        }
        do {
            for (index, loop) in loops.enumerated() {
                let residents = [servers[index]] + (index == 0 ? [metricsServer].compactMap { $0 } : [])
                guard loop.start(residents) else {
                    throw ServerError(message: "The server cannot start: the process has no thread or descriptor left.")
                }
            }
            for (server, socket) in zip(servers, sockets) { try await server.start(socket) }
            if let metricsSocket { try await metricsServer?.start(metricsSocket) }
        } catch {
            for loop in loops { loop.stop() }
            throw error
        }
        return RunningServer(
            manager: manager, loader: loader, port: sockets[0].port, metricsPort: metricsSocket?.port, service: service,
            servers: servers, metricsServer: metricsServer, loops: loops, log: log, reporting: reporting,
            drainTimeout: settings.drainTimeout)
    }

    /// The sockets of all loops, on one port.
    private static func sockets(_ settings: Settings) throws(ServerError) -> [ListeningSocket] {
        if let path = settings.socketPath { return [try ListeningSocket(.unix(path: path))] }
        let isShared = settings.loops > 1
        var sockets = [
            try ListeningSocket(.port(host: settings.host, port: settings.port), isShared: isShared)
        ]
        do throws(ServerError) {
            while sockets.count < settings.loops {
                // The port that the system has chosen for the first.
                let address = ServerAddress.port(host: settings.host, port: sockets[0].port)
                sockets.append(try ListeningSocket(address, isShared: true))
            }
        } catch {
            for socket in sockets { close(socket.descriptor) }
            throw error
        }
        return sockets
    }

    private static func metricsAnswer(
        _ metrics: Metrics, _ servers: [HTTPServer], _ loader: Settings.Loader, _ recent: RecentHits
    ) async -> Answer {
        let manager = loader.manager
        var (connections, requests) = (0, 0)
        for server in servers {
            connections += await server.connectionCount
            requests += await server.runningCount
        }
        let present = await Metrics.Present(
            connections: connections, requests: requests, counters: manager.counters, memory: manager.memoryStatistics,
            occupancy: manager.occupancy, disk: loader.disk?.statistics, trouble: loader.disk?.trouble,
            shared: loader.shared?.counters, isRedisUp: loader.redis?.connected(within: .milliseconds(100)),
            tables: ["recent_hits": recent.byteCount])
        return .text(200, metrics.text(present), type: "text/plain; version=0.0.4; charset=utf-8")
    }

    /// What the end of a server has dropped.
    struct Report: Sendable {
        /// Requests that were cancelled or cut off.
        let droppedRequestCount: Int
        let loads: ShutdownReport

        var isClean: Bool { droppedRequestCount == 0 && loads.isClean }
    }

    /// Says that the server is not ready and serves for a while, so that balancers send no more when it ends.
    ///
    /// Each connection closes after its next answer, so that few are left that a client may just be using.
    /// - Parameter clock: Measures the while.
    func retire(for delay: Duration, clock: some Clock<Duration> = ContinuousClock()) async {
        service.drain()
        for server in servers { await server.retire() }
        try? await clock.sleep(for: delay)
    }

    /// Takes no more connections, finishes running requests within the time of the settings, and ends.
    ///
    /// The port of the metrics is open, and says that the server is not ready, until the requests have ended.
    func drain() async -> Report {
        let clock = ContinuousClock()
        let deadline = clock.now + drainTimeout
        service.drain()
        let grace = drainTimeout
        let dropped = await withTaskGroup { group in
            for server in servers { group.addTask { await server.drain(within: grace) } }
            return await group.reduce(0, +)
        }
        _ = await metricsServer?.drain(within: .seconds(1))
        for loop in loops { await loop.stopAndJoin() }
        let loads = await manager.shutdown(within: max(.zero, deadline - clock.now))
        await loader.caches?.shutdown(within: max(.milliseconds(250), deadline - clock.now))
        await reporting.value
        log?.flush()
        return Report(droppedRequestCount: dropped, loads: loads)
    }
}
