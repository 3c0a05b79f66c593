// SPDX-License-Identifier: MIT
import WebImageBinding

/// A view of any kind, which records the calls.
@MainActor
final class FakeTarget: ImageTarget {
    enum Call: Equatable {
        case show(Int?, in: ImageSlot)
        case transition(Int, in: ImageSlot)
        case frame(Int)
    }

    private(set) var calls: [Call] = []
    private(set) var shown: [ImageSlot: DecodedImage] = [:]
    private(set) var frame = 0
    var visibility = TargetVisibility.visible
    var onShow: (@MainActor (DecodedImage?) -> Void)?

    func show(_ picture: DecodedImage?, in slot: ImageSlot, transition: (any ImageTransition)?) {
        if let picture, transition != nil {
            calls.append(.transition(picture.index, in: slot))
        } else {
            calls.append(.show(picture?.index, in: slot))
        }
        shown[slot] = picture
        frame = 0
        onShow?(picture)
    }

    func showFrame(_ frame: PlayedFrame, of picture: DecodedImage, in slot: ImageSlot) {
        self.frame = frame.index
        calls.append(.frame(frame.index))
    }

    /// The index of the picture in the slot, by its pixels.
    var index: Int? { shown[.image]?.index }
}

@MainActor
final class FakeIndicator: ImageIndicator {
    enum Call: Equatable { case start, update(Double?), stop }

    private(set) var calls: [Call] = []
    var isShown: Bool { calls.last { $0 == .start || $0 == .stop } == .start }

    func start() { calls.append(.start) }
    func update(_ fraction: Double?) { calls.append(.update(fraction)) }
    func stop() { calls.append(.stop) }
}

/// A transition that records its hooks.
@MainActor
struct FakeTransition: ImageTransition {
    final class Log {
        var calls: [String] = []
        nonisolated init() {}
    }

    let log = Log()
    var duration = Duration.seconds(1)
    var trigger = TransitionTrigger.network

    func prepare(_ target: any ImageTarget, in slot: ImageSlot) { log.calls.append("prepare") }
    func finish(_ target: any ImageTarget, in slot: ImageSlot) { log.calls.append("finish") }
}
