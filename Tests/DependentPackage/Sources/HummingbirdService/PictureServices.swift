// SPDX-License-Identifier: MIT
import Logging
import Metrics
import ServiceLifecycle
import WebImage

/// The manager: its loads end, and what waits is written.
struct Pictures: Service {
    let manager: ImageManager

    func run() async throws {
        try await cancelWhenGracefulShutdown { try await manager.run() }
    }
}

/// Logs, counts and traces the steps of loads.
struct PictureLog: Service {
    let manager: ImageManager
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await manager.followActivities { note($0) }
        }
    }

    private func note(_ activity: LoadActivity) {
        switch activity.kind {
        case .started(let waited):
            record("queue", waited, activity)
        case .firstByte(let took):
            record("first_byte", took, activity)
        case .decoded(_, _, let took):
            record("decode", took, activity)
        case .finished(let source, let took):
            let dimensions = [("source", source.rawValue)]
            Metrics.Timer(label: "image_load", dimensions: dimensions)
                .record(duration: took)
        case .failed(let error):
            let dimensions = [("reason", error.reason)]
            Counter(label: "image_failures", dimensions: dimensions)
                .increment()
            var logger = logger
            logger[metadataKey: "url"] = activity.url.map { "\($0)" }
            logger[metadataKey: "trace"] = activity.label.map { "\($0)" }
            logger.warning("\(error.message)")
        default:
            break
        }
    }

    private func record(
        _ step: String, _ took: Duration, _ activity: LoadActivity
    ) {
        Metrics.Timer(label: "image_\(step)").record(duration: took)
        Trace(label: activity.label)?.addStep(step, took: took)
    }
}

/// Shows what waits and runs, every five seconds.
struct PictureGauges: Service {
    let manager: ImageManager

    func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat {
                let now = await manager.occupancy
                show("downloads", "waiting", now.queuedDownloads)
                show("downloads", "running", now.runningDownloads)
                show("decodes", "waiting", now.queuedWork)
                show("decodes", "running", now.runningWork)
            } while (try? await Task.sleep(for: .seconds(5))) != nil
        }
    }

    private func show(_ what: String, _ state: String, _ count: Int) {
        Meter(label: "image_\(what)", dimensions: [("state", state)])
            .set(count)
    }
}
