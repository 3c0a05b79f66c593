// SPDX-License-Identifier: MIT
extension ImageBinding {
    /// Subscribes to the load at `priority`, and keeps the earlier subscription until the first event of the new one.
    func subscribe(_ load: BoundLoad, at priority: ImagePriority) {
        guard var request = load.request else { return }
        request.priority = priority
        // So that the earlier one can be left while the transfer waits.
        request.tellsJoining = load.feed != nil
        let feed = Feed(priority: priority, load: load, token: load.feed?.token)
        request.loadToken = feed.token
        if load.outgoingFeed == nil {
            load.outgoingFeed = load.feed
        } else {
            load.feed?.stop()
        }
        load.feed = feed
        let events = loader.events(for: request)
        // Immediate, so that the task listens when this call returns. It holds the binding only while it handles an
        // event.
        feed.task = Task.immediate(name: "picture") { [weak self] in
            do {
                for try await event in events {
                    guard let self else { return }
                    self.receive(event, from: feed)
                }
                self?.receive(end: CancellationError(), from: feed)
            } catch {
                self?.receive(end: error, from: feed)
            }
        }
        if feed.load == nil { feed.task?.cancel() }
    }

    private func receive(_ event: ImageEvent, from feed: Feed) {
        guard let load = current(feed) else { return }
        if feed === load.feed {
            load.outgoingFeed?.stop()
            load.outgoingFeed = nil
        }
        switch event {
        case .progress(let progress): report(progress, of: load)
        case .preview(let image): take(BoundPicture(image, .preview, .network), for: load)
        case .cached(let response):
            // The cached picture may have been shown within the call, and a second subscription delivers it again.
            if !load.hasCachedPicture { take(BoundPicture(response, .cached), for: load) }
        case .finished(let response): take(BoundPicture(response, .final), for: load)
        }
    }

    private func receive(end error: any Error, from feed: Feed) {
        guard let load = current(feed) else { return }
        if feed === load.outgoingFeed {
            load.outgoingFeed = nil
        } else if error is CancellationError {
            end(load, .cancelled)
        } else {
            fail(load, error)
        }
    }

    /// The load that an event from `feed` belongs to; `nil` when the event comes too late.
    private func current(_ feed: Feed) -> BoundLoad? {
        guard let load = feed.load, load.isReceiving, load.listens(to: feed), hasTarget() else { return nil }
        return load
    }

    private func report(_ progress: LoadProgress, of load: BoundLoad) {
        if let bound = slots[load.slot], bound.load === load {
            bound.state.report(progress, clock)
            bound.indicator?.update(progress.fraction)
        }
        load.options.onProgress?(progress)
    }

    private func fail(_ load: BoundLoad, _ error: any Error) {
        load.hasLanded = true
        load.stopFeeds()
        land(load) { [self] in
            if let picture = load.options.failurePicture {
                show(picture, for: load)
            } else if load.options.placeholder.isLate {
                show(load.options.placeholder.picture, for: load)
            }
            arrive(load, .failed(error))
        }
    }
}
