// SPDX-License-Identifier: MIT
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
    private let stage: Stage
    /// `nil` when the script runs in real time.
    private let clock: ManualClock?
    private let isRecorded: Bool
    private let cast: Cast
    private var film: Film
    private var longestWait = Duration.zero

    /// From one screen of a recording to the next.
    static let frameTime = Duration.milliseconds(100)

    init(
        _ script: Script, _ stage: Stage, _ surroundings: Gallery.Surroundings, isTimed: Bool, isRecorded: Bool = false
    ) {
        var surroundings = surroundings
        clock = isTimed ? nil : ManualClock()
        if let clock { surroundings.clock = clock }
        self.script = script
        self.stage = stage
        self.isRecorded = isRecorded
        graphics = surroundings.graphics
        let cast = Cast(columns: surroundings.size.columns, rows: surroundings.size.rows)
        self.cast = cast
        film = Film(cell: surroundings.size.cell)
        display = Display(surroundings.graphics, checksPictures: stage.checksPictures) { bytes in
            if isRecorded { cast.note(bytes) }
        }
        gallery = Gallery(stage.items, stage.manager, display, surroundings)
        if stage.beginsWithBoard { gallery.showBoard() }
    }

    /// Plays the script, and waits for its pictures.
    ///
    /// - Parameter tell: Gets the number of steps that were played, and of all, after each wait for pictures.
    func play(_ tell: (Int, Int) -> Void = { _, _ in }) async throws {
        // Unstructured because the script is not a child of the measurement; cancelled and awaited below.
        let probe = clock == nil ? Task(name: "probe") { await MainActorProbe().run() } : nil
        defer { probe?.cancel() }
        try await playSteps(tell)
        probe?.cancel()
        if let probe { longestWait = await probe.value }
    }

    private func playSteps(_ tell: (Int, Int) -> Void) async throws {
        await gallery.displayed()
        await keep()
        for (index, step) in script.steps.enumerated() where !gallery.hasQuit {
            try Task.checkCancellation()
            switch step {
            case .key(let key): gallery.handle(key)
            case .wait:
                try await settle()
                tell(index + 1, script.steps.count)
            case .cut: film = Film(cell: gallery.size.cell)
            case .tick(let milliseconds): try await pass(.milliseconds(milliseconds))
            case .resize(let columns, let rows):
                var size = gallery.size
                size.columns = columns
                size.rows = rows
                gallery.resize(size)
            }
            // Like a user, the script waits for the effect of one key before the next.
            await gallery.displayed()
            if case .cut = step { await keep() }
        }
        if !gallery.hasQuit { try await settle() }
    }

    /// Waits until every picture has arrived and its fade has ended.
    private func settle() async throws {
        await gallery.clearing?.value
        while true {
            // Time passes where the origin, or the board, waits for it.
            if isRecorded || gallery.isMoving { try await pass(Self.frameTime) }
            let isIdle = await stage.manager.occupancy.isIdle
            if isIdle, !gallery.isBusy { break }
            try await Task.sleep(for: .milliseconds(2))
        }
        try await pass(Cell.fade.duration)
    }

    private func pass(_ time: Duration) async throws {
        guard let clock else {
            try await Task.sleep(for: time)
            return await catchUp()
        }
        var left = time
        // A recording shows every step on the way; so does a board or an origin that goes on.
        while isRecorded || gallery.isMoving, left > Self.frameTime {
            clock.advance(by: Self.frameTime)
            left -= Self.frameTime
            try await frame()
        }
        clock.advance(by: left)
        try await frame()
    }

    /// Shows what has happened at the present time of the script, once it has happened.
    private func frame() async throws {
        await catchUp()
        guard isRecorded || gallery.isMoving else { return }
        try await rest()
        await catchUp()
        await keep()
    }

    /// Adds what is on the screen to the recording.
    private func keep() async {
        guard isRecorded, let composition = await display.composition else { return }
        film.add(composition, at: gallery.age.elapsed, isMotion: gallery.motion != nil)
    }

    private func catchUp() async {
        cast.move(to: gallery.age.elapsed)
        gallery.catchUp()
        await gallery.displayed()
    }

    /// Waits until the loads can do nothing more before the script's time goes on, or for a tenth of a second.
    private func rest() async throws {
        var quietCount = 0
        for _ in 0..<50 where quietCount < 3 {
            try await Task.sleep(for: .milliseconds(2))
            quietCount = await isResting ? quietCount + 1 : 0
        }
    }

    private var isResting: Bool {
        get async {
            let pairs = [(stage.manager, stage.origin), (stage.flights?.manager, stage.flights?.origin)]
            for case (let manager?, let origin?) in pairs {
                let occupancy = await manager.occupancy
                guard occupancy.queuedWork + occupancy.runningWork == 0, occupancy.runningDownloads <= origin.heldCount
                else { return false }
            }
            return true
        }
    }

    // MARK: - Results

    /// The final screen.
    var screen: Screen? { get async { await display.composition?.screen } }

    /// The final screen as a PNG.
    func png() async throws -> [UInt8] {
        guard let composition = await display.composition else { return [] }
        return try ImageCoders.default.encode(Raster(composition, cell: gallery.size.cell).image, as: .png(level: 9))
    }

    /// The screens of a recorded run as an animation.
    func gif() async throws -> [UInt8] {
        let film = film
        return try await Task(name: "film") { @concurrent in try film.gif() }.value
    }

    /// What a recorded run has sent to its terminal.
    func recording() throws -> Data { try cast.file(until: gallery.age.elapsed + Film.lastScreen) }

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
