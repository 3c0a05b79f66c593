// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import WebImageTesting

@testable import WebImage

/// How an origin fails.
enum OriginFault: Sendable, CaseIterable {
    case none, missing, broken, unreachable, troubled

    /// The code of the error that a caller gets.
    var code: ImageLoadError.Code? {
        switch self {
        case .none: nil
        case .missing, .troubled: .unacceptableStatus
        case .broken: .undecodable
        case .unreachable: .transferFailed
        }
    }
}

/// What a caller asks for.
struct ModelLoad: Sendable, Equatable {
    enum Kind: Sendable { case picture, original, png, events, peek }

    var address: Int
    var kind = Kind.picture
    var isVariant = false
    var policy = CachePolicy.cacheFirst
    var retriesFailed = false

    init(_ address: Int, isVariant: Bool = false, _ policy: CachePolicy = .cacheFirst) {
        (self.address, self.isVariant, self.policy) = (address, isVariant, policy)
    }

    /// - Parameter earlier: What was loaded before, often again in another way.
    init(_ draw: inout Generator, after earlier: ModelLoad?) {
        if let earlier, draw.isTrue() {
            self = earlier
        } else {
            address = drawAddress(&draw)
            kind = draw.oneOf([.picture, .picture, .events, .png, .original, .peek])
            isVariant = draw.isTrue(oneIn: 3) && kind != .original
        }
        policy = draw.oneOf([.cacheFirst, .cacheFirst, .reload, .revalidate, .refreshCached, .onlyIfCached])
        retriesFailed = draw.isTrue(oneIn: 4)
    }

    /// Whether the origin is asked whatever the caches hold.
    var asksOrigin: Bool { ![.cacheFirst, .onlyIfCached].contains(policy) && kind != .peek }

    /// Whether its result is a decoded picture.
    var asksForPixels: Bool { [.picture, .events, .peek].contains(kind) }

    /// Leaves a picture as it is, under another name.
    private struct Unchanged: ImageTransforming {
        var key: String { "unchanged" }
        func transform(_ image: DecodedImage) -> DecodedImage { image }
    }

    var request: ImageRequest {
        var request = ImageRequest.numbered(address, transformers: isVariant ? [Unchanged()] : [])
        (request.cachePolicy, request.retriesFailed) = (policy, retriesFailed)
        if kind == .events {
            request.previews = PreviewOptions(size: PixelSize(width: 16, height: 16), interval: .zero)
        }
        return request
    }
}

private func drawAddress(_ draw: inout Generator) -> Int { draw.oneOf([0, 0, 0, 2, 1]) }

/// What is done to the manager, or around it.
enum ModelDeed: Sendable, Equatable {
    case load(ModelLoad)
    /// One of the callers so far is cancelled, counted from the last one.
    case cancel(Int)
    case raise(ModelLoad)
    case remove(Int, CacheTiers)
    case clear(CacheTiers)
    case store(Int)
    case pressure(MemoryPressure)
    case cancelAll
    case cancelLoads(Int)
    case newContent(Int)
    case origin(Int, OriginFault)
    case disk(fails: Bool)
    case forgetFailures
    case flush
    case shutDown
    case waitForDeadline

    init(_ draw: inout Generator, after earlier: ModelLoad?) {
        switch draw.number(0...31) {
        case 0...14: self = .load(ModelLoad(&draw, after: earlier))
        case 15...17: self = .newContent(drawAddress(&draw))
        case 18: self = .cancel(draw.number(0...4))
        case 19, 20: self = .origin(drawAddress(&draw), draw.oneOf(OriginFault.allCases))
        case 21, 22: self = .remove(drawAddress(&draw), draw.oneOf([.all, .all, .memory, .disk]))
        case 23: self = .clear(draw.oneOf([.all, .memory, .disk]))
        case 24: self = .store(drawAddress(&draw))
        case 25: self = .pressure(draw.oneOf([.critical, .warning, .normal]))
        case 26: self = .raise(ModelLoad(&draw, after: earlier))
        case 27: self = draw.isTrue() ? .cancelAll : .cancelLoads(drawAddress(&draw))
        case 28: self = draw.isTrue(oneIn: 3) ? .disk(fails: draw.isTrue()) : .flush
        case 29: self = .forgetFailures
        case 30: self = draw.isTrue(oneIn: 6) ? .shutDown : .waitForDeadline
        default: self = .clear(.memory)
        }
    }

    /// Whether it changes what the caches hold of an address, or what loads of it may use.
    func concerns(_ address: Int) -> Bool {
        switch self {
        case .remove(let other, _), .store(let other), .cancelLoads(let other): other == address
        case .clear, .pressure, .cancelAll, .cancel, .disk, .shutDown, .waitForDeadline: true
        default: false
        }
    }

    /// Whether memory may lose what it holds of an address.
    func takesMemory(of address: Int) -> Bool {
        switch self {
        case .remove(address, _), .store(address), .clear, .pressure, .shutDown: true
        default: false
        }
    }
}

/// What is done, in order, and how much of the work that is begun runs in between.
struct ModelProgram: Sendable {
    struct Step: Sendable {
        let deed: ModelDeed
        /// How many steps of tasks and threads run before the next deed.
        let turns: Int
        /// The stage that stands still meanwhile.
        let held: StagedManager.Stage?
    }

    let seed: UInt64
    let hasDisk: Bool
    /// Whether memory holds a few pictures only.
    let isMemorySmall: Bool
    let steps: [Step]

    init(_ draw: inout Generator) {
        seed = UInt64(draw.number(0...9_999))
        hasDisk = !draw.isTrue(oneIn: 3)
        isMemorySmall = draw.isTrue(oneIn: 4)
        var (steps, earlier): ([Step], ModelLoad?) = ([], nil)
        // Four lists are longer than one, and as easily made smaller.
        for _ in 0..<4 {
            steps += draw.list(0...8) { draw in
                let deed = ModelDeed(&draw, after: earlier)
                if case .load(let load) = deed { earlier = load }
                return Step(
                    deed: deed, turns: draw.oneOf([1_000, 0, 3, 10, 25, 60]),
                    held: draw.isTrue(oneIn: 4) ? draw.oneOf([StagedManager.Stage.files, .pixels]) : nil)
            }
        }
        self.steps = steps
    }
}
