// SPDX-License-Identifier: MIT
import CImageShims
import Locks

/// Frames of a file that are composed one over the other, as far as they are asked for.
///
/// Holds the file, and a canvas for each place at which frames are asked for. The next frame costs one frame; another
/// one costs all frames from the nearest canvas or keyframe before it.
final class ComposedFrames: FrameSource {
    /// Draws the frame of an index in the file on the canvas after the frame before, and returns its damage. The
    /// animation ends after a damaged frame.
    typealias Drawing = @Sendable (inout FrameCanvas, Int, DecodingWork) throws -> ImageDamage

    /// The canvas after some frames.
    fileprivate struct Place {
        var canvas: FrameCanvas
        /// The index of the frame that is drawn on it next.
        var next: Int
        var lastUse = 0
    }

    fileprivate struct State {
        /// The canvases on which nothing is drawn now.
        var resting: [Place] = []
        /// The frames that are being made, each on a canvas that is taken out.
        var drawn: Set<Int> = []
        /// Counts the canvases that were taken out.
        var uses = 0
        /// The damaged frame with which the animation ends.
        var last: (index: Int, damage: ImageDamage)?
        /// The bytes of canvases as they were counted last.
        var counted = 0

        /// The bytes of all canvases.
        func byteCount(_ size: PixelSize) -> Int {
            resting.reduce(drawn.count.saturatingMultiply(size.bitmapByteCount)) {
                $0.saturatingAdd($1.canvas.byteCount)
            }
        }
    }

    fileprivate enum Taken {
        case made([UInt8])
        case canvas(Place)
        /// Another thread makes the frame, or one shortly before it, or has the last canvas.
        case busy
    }

    let durations: [Duration]
    private let fileByteCount: Int
    private let plan: FramePlan
    private let options: DecodeOptions
    private let resampler: Resampler?
    private let size: PixelSize
    private let keyframes: [Int]
    private let start: Int
    private let draw: Drawing
    private let memory: AnimationMemory
    private let state = Mutex(State())

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - found: The frames in the file.
    ///   - run: The indexes of those of the source.
    ///   - plan: How a composed frame is finished.
    ///   - fileByteCount: The bytes of the file.
    ///   - memory: Counts the canvases beyond the first, which is part of the picture.
    init(
        _ found: FoundFrames, _ run: Range<Int>, _ plan: FramePlan, _ options: DecodeOptions, fileByteCount: Int,
        memory: AnimationMemory = .shared, _ draw: @escaping Drawing
    ) {
        self.memory = memory
        (durations, size, start) = (Array(found.durations[run]), found.size, run.lowerBound)
        (self.plan, self.options, self.draw, resampler) = (plan, options, draw, plan.resampler())
        (self.fileByteCount, keyframes) = (
            fileByteCount, FrameCover.keyframes(found.covers, isSafe: options.failOn != .never)
        )
    }

    var endsAtDamage: Bool { options.failOn == .never }

    /// The file and the canvases, one at least.
    var byteCount: Int {
        fileByteCount.saturatingAdd(max(state.withLock { $0.byteCount(size) }, size.bitmapByteCount))
    }

    /// The most canvases: eight, or as many as fit into 64 MiB, but two.
    private var room: Int { max(2, min(8, (64 << 20) / size.bitmapByteCount)) }

    func pixels(at index: Int) throws -> [UInt8] { try draw(index, nil).pixels }

    /// Keeps the canvas that was used last.
    func releaseMemory() {
        change { state in
            state.resting = state.resting.max { $0.lastUse < $1.lastUse }.map { [$0] } ?? []
        }
    }

    /// Makes a frame.
    ///
    /// - Parameter work: The work that the frame is part of, with all frames before it; `nil` for one work a frame.
    /// - Returns: Its pixels and its damage.
    func draw(_ index: Int, _ work: DecodingWork?) throws -> (pixels: [UInt8], damage: ImageDamage) {
        let index = start + index
        let pixels = try composed(index, work)
        let last = state.withLock { $0.last }
        return (try plan.finish(pixels, resampler), last?.index == index ? last?.damage ?? [] : [])
    }

    private func composed(_ index: Int, _ work: DecodingWork?) throws -> [UInt8] {
        while true {
            let end = start + durations.count
            switch try change({
                try $0.take(index, keyframe: keyframes[index], end: end, room: room, size)
            }) {
            case .made(let pixels): return pixels
            case .canvas(let place): return try composed(index, from: place, work)
            case .busy:
                // The thread blocks, so it looks for itself whether it is still needed.
                try Task.checkCancellation()
                swi_rest()
            }
        }
    }

    private func composed(_ index: Int, from place: consuming Place, _ work: DecodingWork?) throws -> [UInt8] {
        // After an error the canvas is lost, because a part of the frame may be on it.
        defer { change { _ = $0.drawn.remove(index) } }
        while place.next <= index {
            let work = work ?? DecodingWork(limits: options.limits, byteCount: fileByteCount)
            let (frame, damage) = (place.next, try draw(&place.canvas, place.next, work))
            place.next += 1
            if damage.isEmpty { continue }
            try state.withLock { state in
                state.last = (frame, damage)
                try state.check(index)
            }
        }
        // A smaller picture is made of them at once.
        place.canvas.isShared = resampler == nil
        let pixels = place.canvas.pixels
        change { [place] in $0.resting.append(place) }
        return pixels
    }

    /// Changes the state, and counts the canvases.
    private func change<Value>(_ body: (inout State) throws -> Value) rethrows -> Value {
        try state.withLock { state in
            defer {
                let bytes = max(state.byteCount(size) - size.bitmapByteCount, 0)
                memory.note(bytes - state.counted)
                state.counted = bytes
            }
            return try body(&state)
        }
    }

    deinit { memory.note(-state.withLock { $0.counted }) }
}

extension ComposedFrames.State {
    /// Frames that a reader may skip because it is late: to go on from there is no new place.
    private static let skipped = 3
    /// How often other canvases are used before one that is not is given up.
    private static let patience = 16

    /// Refuses a frame after the end of the animation.
    func check(_ index: Int) throws(ImageError) {
        guard let last, index > last.index else { return }
        throw ImageError(code: .malformed, message: "The animation ends with the damaged frame \(last.index).")
    }

    /// Takes the canvas from which a frame is made soonest.
    mutating func take(
        _ index: Int, keyframe: Int, end: Int, room: Int, _ size: PixelSize
    ) throws -> ComposedFrames.Taken {
        try check(index)
        if let found = resting.firstIndex(where: { $0.next == index + 1 }) {
            resting[found].lastUse = uses
            return .made(resting[found].canvas.pixels)
        }
        // A canvas with the last frame leads nowhere.
        resting.removeAll { $0.next == end || uses - $0.lastUse > Self.patience }
        let best = resting.indices.filter { (keyframe...index).contains(resting[$0].next) }
            .max { resting[$0].next < resting[$1].next }
        let nearest = best.map { resting[$0].next } ?? keyframe
        if drawn.contains(where: { max(nearest, index - Self.skipped) <= $0 && $0 <= index }) { return .busy }
        let isFull = resting.count + drawn.count >= room
        var place: ComposedFrames.Place
        if let best {
            // Who left the canvas far behind comes back for it.
            let stays = !isFull && index - nearest > Self.skipped
            resting[best].canvas.isShared = stays || resting[best].canvas.isShared
            place = stays ? resting[best] : resting.remove(at: best)
        } else {
            if isFull {
                guard let oldest = resting.indices.min(by: { resting[$0].lastUse < resting[$1].lastUse }) else {
                    return .busy
                }
                resting.remove(at: oldest)
            }
            place = ComposedFrames.Place(canvas: FrameCanvas(size: size), next: keyframe)
        }
        uses += 1
        place.lastUse = uses
        drawn.insert(index)
        return .canvas(place)
    }
}
