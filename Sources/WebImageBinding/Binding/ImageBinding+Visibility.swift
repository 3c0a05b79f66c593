// SPDX-License-Identifier: MIT
extension ImageBinding {
    /// Reads ``ImageTarget/visibility`` again: loads change their priority, pause or continue, animations stop or play,
    /// and a picture that was given back while the target was hidden is loaded again.
    ///
    /// A target calls it when it scrolls into view or out of it. A load changes its priority by a new subscription at
    /// the new priority. It leaves the old subscription after the first event of the new one, so the flight that both
    /// share continues, and sinks or rises where it waits. A manager sends that event as soon as the new one waits,
    /// too.
    ///
    /// - Complexity: O(*n*) in the number of slots.
    public func targetVisibilityChanged() {
        applicationChanged()
        for load in loads where load.isReceiving { follow(load) }
        if let target, target.visibility != .hidden { loadReleased() }
    }

    /// Gives a load the subscription for the visibility of the target.
    func follow(_ load: BoundLoad) {
        guard hasTarget(), let target, let request = load.request else { return }
        let visibility = target.visibility
        let policy = load.options.whenHidden
        if visibility == .hidden, policy == .pauses { return load.stopFeeds() }
        let priority = policy == .continues ? request.priority : visibility.priority(for: request)
        if load.feed == nil, let gate = load.options.gate, !gate.isOpen { return gate.hold(load) }
        askForBackgroundTime(load)
        if load.hasEnded || load.feed?.priority == priority { return }
        if let outgoing = load.outgoingFeed, outgoing.priority == priority {
            load.feed?.stop()
            load.feed = outgoing
            load.outgoingFeed = nil
            return
        }
        // Here and not at the start of the load, because a paused load begins or continues when the target becomes
        // visible.
        if load.feed == nil, isBound(load) { slots[load.slot]?.indicator?.start() }
        subscribe(load, at: priority)
    }
}
