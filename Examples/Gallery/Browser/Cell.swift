// SPDX-License-Identifier: MIT
import WebImageBinding

/// The events that a cell reports to its gallery.
@MainActor
struct CellEvents {
    let meter: TurnMeter
    let clock: any Clock<Duration>
    let previewInterval: Duration
    let needsDisplay: () -> Void
    let shownFromMemory: () -> Void
}

/// One place of the grid, or the whole screen: a target that is reused for item after item.
@MainActor
final class Cell: ImageTarget {
    static let fade = PresetTransition(.fade, duration: .milliseconds(400), trigger: .waited)
    /// From one preview to the next, and so short that it ends before the one after that.
    static let blend = PresetTransition(.fade, duration: .milliseconds(150))

    let id: Int
    private(set) var item: Item?
    private(set) var index = 0
    var visibility = TargetVisibility.visible {
        didSet { if visibility != oldValue { binding.targetVisibilityChanged() } }
    }

    private let events: CellEvents
    private var binding: ImageBinding!
    private var layer: Scene.Layer?
    private var previous: Scene.Layer?
    private var fade: Fade?
    private var progress: Double?
    private var hasFailed = false
    private var source: ImageSource?
    private static var serial = 0

    init(id: Int, loader: any ViewImageLoading, events: CellEvents) {
        self.id = id
        self.events = events
        binding = ImageBinding(target: self, loader: loader, clock: events.clock)
        binding.setIndicator(self)
    }

    var isLoading: Bool { binding.isLoading }
    var isFading: Bool { fade.map { $0.mix < 256 } ?? false }

    /// Shows an item from now on.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - index: Its number, counted from 0.
    ///   - box: The pixels that the picture fits into.
    ///   - policy: Which pictures are accepted.
    ///   - placeholder: What is shown until the first preview arrives; `nil` for nothing.
    func present(
        _ item: Item, _ index: Int, _ box: PixelSize, _ policy: CachePolicy = .cacheFirst,
        placeholder: DecodedImage? = nil
    ) {
        let isNew = self.index != index || self.item?.url != item.url
        self.item = item
        self.index = index
        hasFailed = false
        var options = BindingOptions()
        options.transition = Self.fade
        options.previewTransition = Self.blend
        // A picture that is loaded again is kept until the new one arrives.
        options.placeholder = isNew ? placeholder.map { .now($0) } ?? .none : .late(nil)
        options.whenHidden = .pauses
        options.onPicture = { [weak self] in self?.arrived($0) }
        options.onEnd = { [weak self] in self?.ended($0) }
        binding.load(item.request(box, policy, previewInterval: events.previewInterval), options: options)
    }

    /// Shows no item.
    func empty() {
        item = nil
        binding.clear()
    }

    /// Shows the frame that is due, without waiting for the frame task.
    func catchUp() { binding.targetVisibilityChanged() }

    /// What the cell shows, if it shows a picture.
    var picture: DecodedImage? { layer?.picture }

    func tile(at rect: ScreenRect, isSelected: Bool) -> Scene.Tile {
        let state = hasFailed ? "failed" : layer?.isPreview == true ? "preview" : source?.caption ?? ""
        let isAwaited = progress != nil && layer?.isPreview != true
        var tile = Scene.Tile(id: id, item: index, rect: rect, layer: layer, isSelected: isSelected)
        tile.caption = " \(index + 1) \(item?.name ?? "")" + (isAwaited ? "" : ", \(state)")
        tile.progress = progress
        tile.hasFailed = hasFailed
        if let fade, fade.mix < 256 {
            tile.mix = fade.mix
            tile.previous = previous
        }
        return tile
    }

    private func arrived(_ picture: BoundPicture) {
        if picture.stage == .final { source = picture.source }
        if picture.source == .memory { events.shownFromMemory() }
    }

    private func ended(_ outcome: LoadOutcome) {
        events.meter.measure {
            if case .failed = outcome { hasFailed = true }
            events.needsDisplay()
        }
    }
}

// MARK: - ImageTarget

extension Cell {
    func show(_ picture: DecodedImage?, in slot: ImageSlot, transition: (any ImageTransition)?) {
        events.meter.measure {
            previous = transition == nil ? nil : layer
            fade = transition.map { Fade($0.duration, events.clock) }
            Self.serial += 1
            let isPreview = binding.picture(in: slot)?.stage == .preview
            layer = picture.map { Scene.Layer(picture: $0, serial: Self.serial, isPreview: isPreview) }
            if picture == nil { source = nil }
            events.needsDisplay()
        }
    }

    func showFrame(_ frame: PlayedFrame, of picture: DecodedImage, in slot: ImageSlot) {
        events.meter.measure {
            layer?.played = frame
            events.needsDisplay()
        }
    }
}

// MARK: - ImageIndicator

extension Cell: ImageIndicator {
    func start() { indicate(0) }
    func update(_ fraction: Double?) { indicate(fraction ?? 0) }
    func stop() { indicate(nil) }

    private func indicate(_ progress: Double?) {
        events.meter.measure {
            self.progress = progress
            events.needsDisplay()
        }
    }
}

extension ImageSource {
    /// In the words of a caption.
    fileprivate var caption: String {
        switch self {
        case .memory: "from memory"
        case .disk: "from disk"
        case .network: "downloaded"
        case .program: "from the program"
        }
    }
}
