import Foundation
import WebImageBinding
import WebImageTesting

/// Plays a script without a terminal.
///
/// The script has a clock of its own, which only the script moves, so that fades and animations are deterministic. Only
/// a timed run uses the real clock.
@MainActor
final class ScriptRun {
    private let script: Script
    private let gallery: Gallery
    private let display: Display
    private let graphics: Graphics
    private let manager: ImageManager
    /// `nil` when the script runs in real time.
    private let clock: ManualClock?
    private var longestWait = Duration.zero

    init(
        _ script: Script, _ items: [Item], _ manager: ImageManager, _ surroundings: Gallery.Surroundings,
        checksPictures: Bool, isTimed: Bool
    ) {
        var surroundings = surroundings
        clock = isTimed ? nil : ManualClock()
        if let clock { surroundings.clock = clock }
        self.script = script
        self.manager = manager
        graphics = surroundings.graphics
        display = Display(surroundings.graphics, checksPictures: checksPictures) { _ in }
        gallery = Gallery(items, manager, display, surroundings)
    }

    /// Plays the script, and waits for its pictures.
    func play() async throws {
        // Unstructured because the script is not a child of the measurement; cancelled and awaited below.
        let probe = clock == nil ? Task(name: "probe") { await MainActorProbe().run() } : nil
        defer { probe?.cancel() }
        try await playSteps()
        probe?.cancel()
        if let probe { longestWait = await probe.value }
    }

    private func playSteps() async throws {
        for step in script.steps where !gallery.hasQuit {
            try Task.checkCancellation()
            switch step {
            case .key(let key): gallery.handle(key)
            case .wait: try await settle()
            case .tick(let milliseconds): try await pass(.milliseconds(milliseconds))
            case .resize(let columns, let rows):
                var size = gallery.size
                size.columns = columns
                size.rows = rows
                gallery.resize(size)
            }
            // Like a user, the script waits for the effect of one key before the next.
            await gallery.displayed()
        }
        if !gallery.hasQuit { try await settle() }
    }

    /// Waits until every picture has arrived and its fade has ended.
    private func settle() async throws {
        await gallery.clearing?.value
        while true {
            let isIdle = await manager.occupancy.isIdle
            if isIdle, !gallery.isBusy { break }
            try await Task.sleep(for: .milliseconds(2))
        }
        try await pass(Cell.fade.duration)
    }

    private func pass(_ time: Duration) async throws {
        if let clock { clock.advance(by: time) } else { try await Task.sleep(for: time) }
        gallery.catchUp()
        await gallery.displayed()
    }

    // MARK: - Results

    /// The final screen.
    var screen: Screen? { get async { await display.composition?.screen } }

    /// The final screen as a PNG.
    func png() async throws -> [UInt8] {
        guard let composition = await display.composition else { return [] }
        return try ImageCoders.default.encode(Raster(composition, cell: gallery.size.cell).image, as: .png(level: 9))
    }

    /// The figures of a timed run, line by line.
    func timing() async -> String {
        let meter = gallery.meter
        let report = await display.report
        return """
            longest main-actor turn: \(Self.text(meter.longest)) ms (\(Self.text(meter.longestWork)) ms of processor time)
            longest wait for the main actor: \(Self.text(longestWait)) ms
            main-actor turns: \(meter.count)
            scenes painted: \(report.sceneCount), \(report.byteCount) bytes
            pictures checked: \(report.checkedCount), wrong: \(report.wrongCount)
            """
    }

    var wrongCount: Int { get async { await display.report.wrongCount } }

    private static func text(_ duration: Duration) -> String {
        String(format: "%.2f", duration / .milliseconds(1))
    }
}
