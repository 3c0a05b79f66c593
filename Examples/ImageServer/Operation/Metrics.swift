// SPDX-License-Identifier: MIT
import HTTPTransport
import Locks
import PlatformBasics
import SharedStores
import WebImage

/// Counts requests, and writes the figures in the text format of Prometheus.
final class Metrics: Sendable {
    /// The figures of requests.
    struct Figures: Sendable, Equatable {
        var countOfStatus: [Int: Int] = [:]
        var countOfError: [String: Int] = [:]
        var countOfSource: [String: Int] = [:]
        /// Requests that ended before the client had taken the whole answer.
        var incompleteCount = 0
        var byteCount = 0
        var durations = Histogram()
        var durationsOfStage: [String: Histogram] = [:]

        var count: Int { countOfStatus.values.reduce(0, +) }
    }

    /// Durations by size.
    struct Histogram: Sendable, Equatable {
        /// The upper bounds, in seconds.
        static let bounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
        private(set) var sum = 0.0
        private(set) var count = 0
        /// For each bound, the durations that are longer than the bound before it, and no longer than this one.
        private var counts = [Int](repeating: 0, count: Histogram.bounds.count)

        mutating func add(_ seconds: Double) {
            (sum, count) = (sum + seconds, count + 1)
            if let index = Self.bounds.firstIndex(where: { seconds <= $0 }) { counts[index] += 1 }
        }

        /// For each bound, the durations that are no longer.
        var cumulative: [Int] {
            var total = 0
            return counts.map {
                total += $0
                return total
            }
        }
    }

    private let state = Mutex(Figures())

    var figures: Figures { state.withLock { $0 } }

    func count(_ request: FinishedRequest) {
        let seconds = request.took / .seconds(1)
        state.withLock { figures in
            figures.countOfStatus[request.status, default: 0] += 1
            if !request.isComplete { figures.incompleteCount += 1 }
            figures.byteCount += request.byteCount
            figures.durations.add(seconds)
            for note in request.notes {
                // The values are names that the program chooses, so their number is small.
                if note.name == "error" { figures.countOfError[note.value, default: 0] += 1 }
                if note.name == "source" { figures.countOfSource[note.value, default: 0] += 1 }
            }
        }
    }

    /// Adds the duration of a stage of a load.
    func count(_ activity: LoadActivity) {
        let (stage, duration): (String, Duration)
        switch activity.kind {
        case .started(let waited): (stage, duration) = ("queue", waited)
        case .firstByte(let after): (stage, duration) = ("first_byte", after)
        case .decoded(_, _, let took): (stage, duration) = ("process", took)
        case .finished(let source, let took) where source != .memory: (stage, duration) = ("load", took)
        default: return
        }
        state.withLock { $0.durationsOfStage[stage, default: Histogram()].add(duration / .seconds(1)) }
    }

    /// What the server and the loader are busy with.
    struct Present: Sendable {
        var connections: Int
        var requests: Int
        var counters: LoadCounters
        var memory: MemoryStatistics
        var occupancy: LoadOccupancy
        /// `nil` without a disk cache.
        var disk: DiskCache.Statistics?
        var trouble: CacheError?
        /// `nil` without stores that servers share.
        var shared: SharedCache.Counters?
        var isRedisUp: Bool?
        var process = ProcessFigures()
        /// The bytes of what the server remembers, by table.
        var tables: [String: Int] = [:]
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
        text.value(
            "image_server_incomplete_requests_total", "counter", "Requests whose client did not take the whole answer",
            figures.incompleteCount)
        text.value("image_server_response_bytes_total", "counter", "Bytes of bodies", figures.byteCount)
        text.histogram(
            "image_server_request_duration_seconds", "Time from request line to the end of the answer",
            [("", figures.durations)])
        text.histogram(
            "image_server_stage_duration_seconds",
            "Wait for a download slot, wait for the head of an original, decoding and transforming, and whole loads",
            figures.durationsOfStage.sorted { $0.key < $1.key }.map { ("stage=\($0.key.quotedJSON)", $0.value) })
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
        let memory = present.memory
        let tables = present.tables.merging(["failures": present.occupancy.rememberedByteCount]) { $1 }
        text.family(
            "image_server_table_bytes", "gauge", "Bytes of what is remembered beside pictures", labels("table", tables))
        text.value("image_loader_memory_evictions_total", "counter", "Pictures that made room", memory.evictions)
        text.value("image_loader_memory_bytes", "gauge", "Bytes of the memory cache", memory.cost)
        text.value("image_loader_memory_pictures", "gauge", "Pictures of the memory cache", memory.count)
        if let disk = present.disk {
            let isUp = present.trouble == nil
            text.value("image_server_disk_cache_up", "gauge", "Whether the disk cache works", isUp ? 1 : 0)
            text.value("image_loader_disk_evictions_total", "counter", "Files that made room", disk.evictions)
            text.value("image_loader_disk_bytes", "gauge", "Bytes of the disk cache, as far as known", disk.totalBytes)
            text.value("image_loader_disk_files", "gauge", "Files of the disk cache, as far as known", disk.entryCount)
        }
        if let isUp = present.isRedisUp {
            text.value("image_server_redis_up", "gauge", "Whether there is a connection to Redis", isUp ? 1 : 0)
        }
        if let shared = present.shared {
            for (name, help, value) in [
                ("hits", "Entries that a shared store had", shared.hits),
                ("misses", "Look-ups that no shared store answered", shared.misses),
                ("troubles", "Calls that failed, came too late or brought a damaged entry", shared.troubles),
                ("dropped_writes", "Writes that were not made", shared.droppedWrites),
                ("leases", "Loads that were left to this server", shared.leases),
                ("joins", "Loads that another server had done", shared.joins),
            ] { text.value("image_loader_shared_\(name)_total", "counter", help, value) }
        }
        let process = present.process
        text.family("image_server_info", "gauge", "The version", [("version=\"\(Version.number)\"", 1)])
        text.value("process_resident_memory_bytes", "gauge", "Memory of the process", process.residentByteCount)
        text.value("process_cpu_seconds_total", "counter", "Processor time of the process", process.processorSeconds)
        text.value("process_open_fds", "gauge", "Open descriptors", process.descriptorCount)
        text.value("process_max_fds", "gauge", "Descriptors that may be open", process.descriptorLimit)
        let occupancy = present.occupancy
        for (name, help, value) in [
            ("callers", "Callers that wait for a flight", occupancy.callers),
            ("flights", "Flights that callers wait for", occupancy.flights),
            ("queued_downloads", "Downloads that wait", occupancy.queuedDownloads),
            ("running_downloads", "Downloads under way", occupancy.runningDownloads),
            ("queued_work", "Pictures that wait for a thread or memory", occupancy.queuedWork),
            ("running_work", "Pictures that are worked on", occupancy.runningWork),
            ("work_bytes", "Memory of pictures in work", occupancy.workByteCount),
            ("original_bytes", "Memory of files that pictures are made from", occupancy.originalByteCount),
            ("pending_writes", "Files that wait to be written", occupancy.pendingWrites),
        ] { text.value("image_loader_\(name)", "gauge", help, value) }
        return text.text
    }
}

/// The text format of Prometheus, version 0.0.4.
struct MetricsText {
    private(set) var text = ""

    mutating func value(_ name: String, _ type: String, _ help: String, _ value: some Numeric) {
        head(name, type, help)
        text += "\(name) \(value)\n"
    }

    mutating func family(_ name: String, _ type: String, _ help: String, _ values: [(label: String, value: Double)]) {
        head(name, type, help)
        for (label, value) in values { text += "\(name){\(label)} \(Int(value))\n" }
    }

    mutating func histogram(_ name: String, _ help: String, _ values: [(label: String, value: Metrics.Histogram)]) {
        head(name, "histogram", help)
        for (label, value) in values {
            let prefix = label.isEmpty ? "" : label + ","
            for (bound, count) in zip(Metrics.Histogram.bounds, value.cumulative) {
                text += "\(name)_bucket{\(prefix)le=\"\(bound)\"} \(count)\n"
            }
            let braces = label.isEmpty ? "" : "{\(label)}"
            text += "\(name)_bucket{\(prefix)le=\"+Inf\"} \(value.count)\n"
            text += "\(name)_sum\(braces) \(value.sum)\n\(name)_count\(braces) \(value.count)\n"
        }
    }

    private mutating func head(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help).\n# TYPE \(name) \(type)\n"
    }
}
