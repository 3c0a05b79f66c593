extension ImageBinding {
    /// Looks at ``ImageTarget/visibility`` again: loads go up or down, pause or go on, and animations stop or play.
    ///
    /// A target calls it when it scrolls into view or out of it. A load changes its priority by asking the loader again
    /// at the new one and leaving the old subscription once the new one has delivered something, so the work that both
    /// share goes on.
    ///
    /// - Complexity: O(*n*) in the number of slots.
    public func targetVisibilityChanged() {
        for bound in Array(slots.values) {
            bound.player?.run()
            if let load = bound.load, load.isReceiving { follow(load) }
        }
    }

    /// Gives a load the subscription that suits what can be seen of the target.
    func follow(_ load: BoundLoad) {
        guard let target, let request = load.request else { return }
        let visibility = target.visibility
        let policy = load.options.whenHidden
        if visibility == .hidden, policy == .pauses { return load.stopFeeds() }
        let priority = policy == .continues ? request.priority : visibility.priority(for: request)
        if load.feed?.priority == priority { return }
        if let outgoing = load.outgoingFeed, outgoing.priority == priority {
            load.feed?.stop()
            load.feed = outgoing
            load.outgoingFeed = nil
            return
        }
        // Here and not when the load begins, because a load that pauses begins, or goes on, when it can be seen.
        if load.feed == nil { slots[load.slot]?.indicator?.start() }
        subscribe(load, at: priority)
    }
}
