// SPDX-License-Identifier: MIT
import TaskCoordination

extension ImageBinding {
    /// Delivers a picture as the options of its load require.
    func take(_ picture: BoundPicture, for load: BoundLoad) {
        if picture.stage == .cached { load.hasCachedPicture = true }
        guard picture.stage == .final else { return hand(picture, of: load) }
        load.hasLanded = true
        load.stopFeeds()
        land(load) { [self] in
            hand(picture, of: load)
            guard !load.hasEnded else { return }
            if load.options.waitsForTransition, load.transition != nil { return }
            arrive(load, .finished(picture))
        }
    }

    /// Displays the result of a load, together with the other loads of its group.
    func land(_ load: BoundLoad, _ show: @escaping @MainActor () -> Void) {
        if let group = load.options.group, group.showsTogether {
            group.hold(load, show)
        } else {
            show()
        }
    }

    /// Ends a load that displays its result, together with the other loads of its group.
    func arrive(_ load: BoundLoad, _ outcome: LoadOutcome) {
        if let group = load.options.group, !group.hasReleased(load) {
            group.hold(load) { [weak self] in self?.end(load, outcome) }
        } else {
            end(load, outcome)
        }
    }

    /// Ends a load.
    ///
    /// Does nothing when the load has ended.
    func end(_ load: BoundLoad, _ outcome: LoadOutcome) {
        guard !load.hasEnded else { return }
        if let bound = slots[load.slot], bound.load === load {
            bound.load = nil
            if outcome.picture != nil { bound.indicator?.update(1) }
            bound.state.end(outcome)
            bound.indicator?.stop()
        }
        replacedLoads[ObjectIdentifier(load)] = nil
        load.close(outcome)
        if target != nil { load.options.onEnd?(outcome) }
        load.options.group?.leave(load)
    }

    /// Shows a picture that is not from a load, or none.
    func show(_ picture: DecodedImage?, for load: BoundLoad) {
        guard let target, isBound(load), let bound = slots[load.slot] else { return }
        bound.contentChanges()
        target.show(picture, in: load.slot, transition: nil)
    }

    /// Shows the picture of a load, and passes it to the caller.
    private func hand(_ picture: BoundPicture, of load: BoundLoad) {
        let isWanted = load.options.showsPictures && (picture.stage != .preview || load.options.showsPreviews)
        if isWanted, let target, let request = load.request, let bound = slots[load.slot], bound.load === load {
            bound.state.source = picture.source
            display(picture, of: request, for: load, in: bound, on: target)
        }
        guard !load.hasEnded else { return }
        load.options.onPicture?(picture)
    }

    private func display(
        _ picture: BoundPicture, of request: ImageRequest, for load: BoundLoad, in bound: BoundSlot,
        on target: any ImageTarget
    ) {
        let transition = load.options.transition(for: picture)
        bound.display(picture, of: request, load.options)
        transition?.prepare(target, in: load.slot)
        target.show(picture.image, in: load.slot, transition: transition)
        // A target or a transition may have started another load within the call.
        guard isBound(load) else { return }
        if picture.image.isAnimated, picture.stage != .preview, load.options.playsAnimations {
            bound.play(player(of: picture.image, in: load.slot, load.options))
        }
        if let transition { follow(transition, of: picture, for: load, in: bound) }
    }

    private func follow(
        _ transition: any ImageTransition, of picture: BoundPicture, for load: BoundLoad, in bound: BoundSlot
    ) {
        let waits = load.options.waitsForTransition && picture.stage == .final
        // The load owns it while it waits for it, the slot otherwise. Any change of the slot cancels it.
        let task = PacedTask("transition", clock: clock, after: transition.duration) { @MainActor [weak self] in
            guard !Task.isCancelled, let self, let target = self.target else { return nil }
            transition.finish(target, in: load.slot)
            if waits { self.arrive(load, .finished(picture)) }
            return nil
        }
        if waits { load.transition = task } else { bound.transition = task }
    }

    private func player(of picture: DecodedImage, in slot: ImageSlot, _ options: BindingOptions) -> FramePlayer {
        var configuration = AnimationPlayer.Configuration()
        configuration.loopCount = options.loopCount
        configuration.order = options.frameOrder
        configuration.rate = options.playbackRate
        return FramePlayer(
            AnimationPlayer(picture, configuration: configuration, clock: clock), clock: clock,
            isVisible: { [weak self] in self?.isPlaying == true },
            show: { [weak target] in target?.showFrame($0, of: picture, in: slot) })
    }
}
