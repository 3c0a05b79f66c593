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

    init(_ address: Int) { self.address = address }

    init(_ draw: inout Generator) {
        address = draw.number(0...2)
        kind = draw.oneOf([.picture, .picture, .events, .png, .original, .peek])
        isVariant = draw.isTrue(oneIn: 3) && kind != .original
        policy = draw.oneOf([.cacheFirst, .cacheFirst, .reload, .revalidate, .refreshCached, .onlyIfCached])
        retriesFailed = draw.isTrue(oneIn: 4)
    }

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

    init(_ draw: inout Generator) {
        switch draw.number(0...31) {
        case 0...13: self = .load(ModelLoad(&draw))
        case 14...16: self = .newContent(draw.number(0...2))
        case 17, 18: self = .cancel(draw.number(0...4))
        case 19, 20: self = .origin(draw.number(0...2), draw.oneOf(OriginFault.allCases))
        case 21: self = .remove(draw.number(0...2), draw.oneOf([.all, .all, .memory, .disk]))
        case 22: self = .clear(draw.oneOf([.all, .memory, .disk]))
        case 23: self = .store(draw.number(0...2))
        case 24: self = .pressure(draw.oneOf([.critical, .warning, .normal]))
        case 25: self = .raise(ModelLoad(&draw))
        case 26: self = draw.isTrue() ? .cancelAll : .cancelLoads(draw.number(0...2))
        case 27: self = .disk(fails: draw.isTrue())
        case 28: self = .forgetFailures
        case 29: self = .flush
        case 30: self = draw.isTrue(oneIn: 3) ? .shutDown : .clear(.memory)
        default: self = .waitForDeadline
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
        steps = draw.list(1...24) { draw in
            Step(
                deed: ModelDeed(&draw), turns: draw.oneOf([1_000, 0, 3, 10, 25, 60]),
                held: draw.isTrue(oneIn: 4) ? draw.oneOf([StagedManager.Stage.pixels, .files]) : nil)
        }
    }
}
