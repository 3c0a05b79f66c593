// SPDX-License-Identifier: MIT
public import PlatformBasics

extension ImageBinding {
    /// Loads the picture at `url` into a slot; see ``load(_:into:options:)-(ImageRequest?,_,_)``.
    @discardableResult
    public func load(_ url: URL?, into slot: ImageSlot = .image, options: BindingOptions? = nil) -> BoundLoad {
        load(url.map { ImageRequest($0) }, into: slot, options: options)
    }

    /// Loads the picture of `request` into a slot, and replaces the slot's present load.
    ///
    /// Within the call, the slot's previous load ends and its caller is told, and then a picture in memory, or the
    /// placeholder, is shown. If the slot already shows the picture, nothing is loaded. If the slot already waits for
    /// the picture, the new load takes over the running transfer, unless the options of the two requests differ or one
    /// of them has a `retry` or `alternatives` of its own.
    ///
    /// - Parameters:
    ///   - request: The picture to load. `nil` ends with ``LoadOutcome/noRequest`` and shows the placeholder, or
    ///     nothing.
    ///   - slot: The slot that shows the picture.
    ///   - options: How the load behaves; `nil`, the default, for ``defaultOptions``.
    /// - Returns: A handle; the caller need not keep it.
    @discardableResult
    public func load(
        _ request: ImageRequest?, into slot: ImageSlot = .image, options: BindingOptions? = nil
    ) -> BoundLoad {
        bound(slot).released = nil
        return start(request, into: slot, options ?? defaultOptions)
    }

    /// Loads a picture that the program has asked for now, or before the slot gave it back.
    @discardableResult
    func start(_ request: ImageRequest?, into slot: ImageSlot, _ options: BindingOptions) -> BoundLoad {
        let bound = bound(slot)
        var request = request
        if var changed = request, let change = options.changeRequest {
            change(&changed)
            request = changed
        }
        if options.usesScaleInName, let named = request, named.scale == 1 { request?.scale = named.scaleInName }
        let load = BoundLoad(request, slot: slot, options: options, binding: self)
        let previous = bound.load
        bound.load = load
        bound.transition = nil
        options.group?.enter(load)
        if let previous { replace(previous, with: load) }
        // The caller of the previous load may have started another load of this slot when it was told of the end.
        guard isBound(load), !load.hasEnded else { return load }
        begin(load, in: bound)
        return load
    }

    /// Cancels the load of a slot.
    ///
    /// The slot keeps what it shows. A picture that it has given back does not come back by itself.
    public func cancel(_ slot: ImageSlot) {
        guard let bound = slots[slot] else { return }
        bound.transition = nil
        bound.released = nil
        if let load = bound.load { end(load, .cancelled) }
    }

    /// Cancels the loads of all slots.
    public func cancelAll() {
        for slot in Array(slots.keys) { cancel(slot) }
        for load in Array(replacedLoads.values) { end(load, .cancelled) }
    }

    /// Cancels the load of a slot and empties the slot.
    public func clear(_ slot: ImageSlot = .image) {
        guard let bound = slots[slot] else { return }
        let load = bound.load
        bound.released = nil
        bound.contentChanges()
        bound.indicator?.disappear()
        target?.show(nil, in: slot, transition: nil)
        // Last, because its caller may load another picture when it is told, also one from memory.
        if let load { end(load, .cancelled) }
    }

    private func replace(_ previous: BoundLoad, with load: BoundLoad) {
        if !load.options.cancelsPreviousLoad, previous.isReceiving {
            replacedLoads[ObjectIdentifier(previous)] = previous
            return
        }
        if let request = load.request, let running = previous.request, previous.isReceiving,
            request.canAdoptTransfer(of: running), let feed = previous.feed
        {
            previous.feed = nil
            feed.load = load
            load.feed = feed
        }
        end(previous, .cancelled)
    }

    private func begin(_ load: BoundLoad, in bound: BoundSlot) {
        guard hasTarget() else { return }
        guard let request = load.request else { return beginNothing(load, in: bound) }
        let isShown = bound.shown?.identity == PictureIdentity(request)
        let shown = isShown ? bound.shown?.picture : nil
        if let shown, shown.stage == .final, !load.options.reloadsShownPicture, !request.asksOrigin {
            load.stopFeeds()
            bound.state.start(request.url)
            load.hasLanded = true
            load.options.onPicture?(shown)
            return arrive(load, .finished(shown))
        }
        bound.state.start(request.url)
        load.hasCachedPicture = shown?.stage == .final
        if shown?.stage != .final, request.mayShowMemory, let image = loader.peek(request) {
            let stage: BoundPicture.Stage = request.asksOrigin ? .cached : .final
            take(BoundPicture(image, stage, .memory), for: load)
        } else if !isShown, !load.options.placeholder.isLate {
            showPlaceholder(of: load, for: request, in: bound)
        }
        // The picture in memory may have completed the load, and a callback may have replaced it.
        guard isBound(load), load.isReceiving else { return }
        if load.feed != nil { bound.indicator?.start() }
        follow(load)
    }

    private func showPlaceholder(of load: BoundLoad, for request: ImageRequest, in bound: BoundSlot) {
        switch load.options.placeholder {
        case .previous(let picture):
            let image = loader.peek(request)
            if image != nil || bound.shown?.request.url != request.url { show(image ?? picture, for: load) }
        case .anySize(let picture): show(loader.peekAnySize(request) ?? picture, for: load)
        case let placeholder: show(placeholder.picture, for: load)
        }
    }

    private func beginNothing(_ load: BoundLoad, in bound: BoundSlot) {
        bound.state.start(nil)
        load.hasLanded = true
        show(load.options.placeholder.picture, for: load)
        arrive(load, .noRequest)
    }
}
