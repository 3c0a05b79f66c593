import CLibcurl
import Synchronization

/// The life of a transfer: entered, admitted, ended exactly once.
extension CurlMulti {
    /// Starts a transfer, or lets it wait for a connection.
    func start(_ transfer: Transfer) {
        assertOnLoop()
        transfers[transfer.id] = transfer
        deadlines.update(transfer)
        guard !transfer.isCancelled.load(ordering: .acquiring) else { return cancel(transfer.id) }
        if let closedBecause {
            return end(transfer.id, .failure(HTTPError(code: .shutDown, message: closedBecause)))
        }
        switch admission.enter(transfer) {
        case .queued: transfer.phase = .queued
        case .admitted: run(transfer)
        case .overloaded:
            let error = HTTPError(
                code: .overloaded, message: "Too many requests wait for a connection; try again later.",
                url: transfer.hop.request.url)
            end(transfer.id, .failure(error))
        }
    }

    /// Starts those that waited and may run now.
    func admitWaiting() {
        for transfer in admission.admit() { run(transfer) }
    }

    /// Hands a transfer to libcurl, for the first time or with the addresses that it asked for.
    func run(_ transfer: Transfer) {
        transfer.phase = .running
        transfer.table = self
        guard add(transfer) else {
            let error = HTTPError(
                code: .transferFailed, message: "libcurl has no memory for another transfer.",
                url: transfer.hop.request.url)
            return end(transfer.id, .failure(error))
        }
    }

    /// The caller is gone.
    ///
    /// Nothing happens when the transfer has ended.
    func cancel(_ id: UInt64) {
        end(id, .failure(CancellationError()))
    }

    /// The reader has made room, which may have been filled since; then it will say so again.
    func resume(_ id: UInt64) {
        guard let transfer = transfers[id], transfer.isPaused, !transfer.pipe.isFull, let easy = transfer.easy
        else { return }
        transfer.isPaused = false
        // libcurl hands over the piece that was refused, at once: that counts as activity.
        let result = unpause(easy)
        guard result == CURLE_OK else { return finish(transfer, result) }
        reschedule(transfer)
    }

    /// libcurl is done with a transfer.
    func finish(_ transfer: Transfer, _ result: CURLcode) {
        if case .asked = transfer.nameState { return lookUp(transfer) }
        guard result != CURLE_OK || transfer.failure != nil else { return end(transfer.id, .success(())) }
        end(transfer.id, .failure(transfer.error(for: result)))
    }

    /// Ends a transfer, whatever its phase.
    ///
    /// The only way out.
    func end(_ id: UInt64, _ result: Result<Void, any Error>) {
        assertOnLoop()
        guard let transfer = transfers.removeValue(forKey: id) else { return }
        deadlines.remove(transfer)
        let origin = transfer.hop.origin
        switch transfer.phase {
        case .running:
            if transfer.isHeadAccepted, !result.isCancellation { transfer.deliverHead() }
            if transfer.isHeadAccepted, let version = transfer.recorder.snapshot.httpVersion {
                admission.learn(origin, isMultiplexed: version == "2")
            }
            if case .lookingUp = transfer.nameState { leaveLookUp(transfer) }
            remove(transfer)
            admission.leave(origin)
            transfer.end(result)
        case .queued:
            transfer.end(result)
            admission.abandon(origin)
        case .new:
            transfer.end(result)
        case .ended:
            break
        }
    }

    // MARK: - Deadlines

    /// Ends the transfers whose time is over.
    ///
    /// A transfer that moved since its time was noted is noted again.
    func expireDeadlines() {
        let now = LoopThread.nanoseconds
        nextExpiry = now + Self.expiryInterval
        while let transfer = deadlines.first, transfer.wakeTime <= now {
            if transfer.deadline <= now {
                end(transfer.id, .failure(transfer.timeout(isTotal: true)))
            } else if let lookUp = transfer.lookUpDeadline, lookUp <= now {
                end(transfer.id, .failure(transfer.error(for: CURLE_OPERATION_TIMEDOUT)))
            } else if let idle = transfer.idleDeadline, idle <= now {
                end(transfer.id, .failure(transfer.timeout(isTotal: false)))
            } else {
                reschedule(transfer)
            }
        }
    }

    /// Notes when to look at the transfer next.
    ///
    /// Activity only moves the time back, so it needs no note of its own.
    func reschedule(_ transfer: Transfer) {
        guard transfer.heapPosition != nil else { return }
        transfer.wakeTime = min(transfer.deadline, transfer.lookUpDeadline ?? .max, transfer.idleDeadline ?? .max)
        deadlines.update(transfer)
    }
}

extension Result where Failure == any Error {
    fileprivate var isCancellation: Bool {
        if case .failure(let error) = self { error is CancellationError } else { false }
    }
}
