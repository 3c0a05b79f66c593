// SPDX-License-Identifier: MIT
import Foundation
import Synchronization
import WebImage

/// Counts requests, and writes the figures in the text format of Prometheus.
final class Metrics: Sendable {
    /// The figures of requests.
    struct Figures: Sendable, Equatable {
        var countOfStatus: [Int: Int] = [:]
        var countOfError: [String: Int] = [:]
        var countOfSource: [String: Int] = [:]
        var byteCount = 0
        var seconds = 0.0
        /// For each bound, the requests that took no longer.
        var countOfBound = [Int](repeating: 0, count: Metrics.bounds.count)

        var count: Int { countOfStatus.values.reduce(0, +) }
    }

    /// The upper bounds of the histogram, in seconds.
    static let bounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private let state = Mutex(Figures())

    var figures: Figures { state.withLock { $0 } }

    func count(_ request: FinishedRequest) {
        let seconds = request.took / .seconds(1)
        state.withLock { figures in
            figures.countOfStatus[request.status, default: 0] += 1
            figures.byteCount += request.byteCount
            figures.seconds += seconds
            for (index, bound) in Self.bounds.enumerated() where seconds <= bound { figures.countOfBound[index] += 1 }
            for note in request.notes {
                // The values are names that the program chooses, so their number is small.
                if note.name == "error" { figures.countOfError[note.value, default: 0] += 1 }
                if note.name == "source" { figures.countOfSource[note.value, default: 0] += 1 }
            }
        }
    }

    /// What the server and the loader are busy with.
    struct Present: Sendable {
        var connections: Int
        var requests: Int
        var counters: LoadCounters
        var occupancy: LoadOccupancy
    }

    /// The text for a scrape.
    func text(_ present: Present) -> String {
        let figures = figures
        var text = MetricsText()
        let labels = { (name: String, counts: [String: Int]) in
            counts.sorted { $0.key < $1.key }.map { ("\(name)=\($0.key.quotedJSON)", Double($0.value)) }
        }
        let statuses = Dictionary(uniqueKeysWithValues: figures.countOfStatus.map { (String($0.key), $0.value) })
        text.family("image_server_requests_total", "counter", "Requests by status", labels("status", statuses))
        text.family(
            "image_server_errors_total", "counter", "Failed requests by cause", labels("code", figures.countOfError))
        text.family(
            "image_server_pictures_total", "counter", "Pictures by place", labels("source", figures.countOfSource))
        text.value("image_server_response_bytes_total", "counter", "Bytes of bodies", figures.byteCount)
        text.histogram(
            "image_server_request_duration_seconds", "Time from request line to the end of the answer",
            bounds: Self.bounds, counts: figures.countOfBound, count: figures.count, sum: figures.seconds)
        text.value("image_server_connections", "gauge", "Open connections", present.connections)
        text.value("image_server_requests_in_progress", "gauge", "Requests under way", present.requests)
        let counters = present.counters
        for (name, help, value) in [
            ("requests", "Calls for a picture", counters.requests),
            ("memory_hits", "Calls that memory answered", counters.memoryHits),
            ("disk_hits", "Flights that the disk answered", counters.diskHits),
            ("downloads", "Transfers that began", counters.downloads),
            ("downloaded_bytes", "Bytes that transfers brought", counters.downloadedByteCount),
            ("memory_waits", "Work that waited for memory", counters.memoryWaits),
            ("dropped_writes", "Files that were not written to disk", counters.droppedWrites),
            ("cancelled", "Calls that were cancelled", counters.cancelled),
            ("failed", "Calls that failed", counters.failed),
        ] { text.value("image_loader_\(name)_total", "counter", help, value) }
        let occupancy = present.occupancy
        for (name, help, value) in [
            ("callers", "Callers that wait for a flight", occupancy.callers),
            ("flights", "Flights that callers wait for", occupancy.flights),
            ("queued_downloads", "Downloads that wait", occupancy.queuedDownloads),
            ("running_downloads", "Downloads under way", occupancy.runningDownloads),
            ("queued_work", "Pictures that wait for a thread or memory", occupancy.queuedWork),
            ("running_work", "Pictures that are worked on", occupancy.runningWork),
            ("work_bytes", "Memory of pictures in work", occupancy.workByteCount),
            ("pending_writes", "Files that wait to be written", occupancy.pendingWrites),
        ] { text.value("image_loader_\(name)", "gauge", help, value) }
        return text.text
    }
}

/// The text format of Prometheus, version 0.0.4.
struct MetricsText {
    private(set) var text = ""

    mutating func value(_ name: String, _ type: String, _ help: String, _ value: Int) {
        head(name, type, help)
        text += "\(name) \(value)\n"
    }

    mutating func family(_ name: String, _ type: String, _ help: String, _ values: [(label: String, value: Double)]) {
        head(name, type, help)
        for (label, value) in values { text += "\(name){\(label)} \(Int(value))\n" }
    }

    mutating func histogram(
        _ name: String, _ help: String, bounds: [Double], counts: [Int], count: Int, sum: Double
    ) {
        head(name, "histogram", help)
        for (bound, count) in zip(bounds, counts) { text += "\(name)_bucket{le=\"\(bound)\"} \(count)\n" }
        text += "\(name)_bucket{le=\"+Inf\"} \(count)\n\(name)_sum \(sum)\n\(name)_count \(count)\n"
    }

    private mutating func head(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help).\n# TYPE \(name) \(type)\n"
    }
}
