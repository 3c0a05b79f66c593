// SPDX-License-Identifier: MIT
import CLibcurl
import CTransportShims
import EventLoops
import Synchronization

/// The life of a transfer: entered, admitted, ended exactly once.
extension TransferTable {
    /// Starts a transfer, or lets it wait for a connection.
    func start(_ order: TransferOrder, for caller: Transfer.Caller) {
        let transfer = Transfer(order, for: caller)
        transfers[order.id] = transfer
        deadlines.update(transfer)
        guard !order.isCancelled.load(ordering: .acquiring) else { return cancel(order.id) }
        guard !hasEnded else { return end(order.id, .failure(HTTPError.shutDown)) }
        switch admission.enter(transfer) {
        case .queued: transfer.phase = .queued
        case .admitted: run(transfer)
        case .overloaded:
            let error = HTTPError(
                code: .overloaded, message: "Too many requests wait for a connection.", advice: "Try again later.",
                url: order.hop.request.url)
            end(order.id, .failure(error))
        }
    }

    /// Adds a transfer to libcurl, for the first time or with the addresses that libcurl asked for.
    func run(_ transfer: Transfer) {
        if let easy = multi.makeHandle() {
            transfer.configure(easy)
            transfer.phase = .running(easy, .connecting)
            transfer.order.reports?(.connecting)
            if multi.add(easy) { return }
        } else {
            admission.leave(transfer.origin)
            transfer.phase = .new
        }
        let error = HTTPError(
            code: .transferFailed, message: "libcurl has no memory for another transfer.", url: transfer.url)
        end(transfer.id, .failure(error))
    }

    /// Cancels a transfer whose caller has left.
    ///
    /// Does nothing when the transfer has ended.
    func cancel(_ id: UInt64) {
        end(id, .failure(CancellationError()))
    }

    /// Continues a transfer whose reader has made room. When the room is full again, the reader sends another message.
    func resume(_ id: UInt64) {
        guard let transfer = transfers[id], case .running(let easy, .paused) = transfer.phase, !transfer.pipe.isFull
        else { return }
        transfer.phase = .running(easy, .active(since: now))
        transfer.beginPace(at: now)
        // libcurl delivers the refused chunk at once, which counts as activity.
        let result = multi.unpause(easy)
        guard result == CURLE_OK else { return finish(transfer, result) }
        reschedule(transfer)
    }

    /// Continues a transfer that waited for more of its content.
    func sendMore(_ id: UInt64) {
        guard let transfer = transfers[id], transfer.endStarvation(), case .running(let easy, _) = transfer.phase
        else { return }
        transfer.noteActivity(at: now)
        // A response that a slow reader has stopped is offered again, and stopped again.
        let result = multi.unpause(easy)
        guard result == CURLE_OK else { return finish(transfer, result) }
        reschedule(transfer)
    }

    /// Ends a transfer that libcurl has finished.
    func finish(_ transfer: Transfer, _ result: CURLcode) {
        if case .running(let easy, .needsAddress) = transfer.phase {
            multi.remove(easy)
            return lookUp(transfer)
        }
        guard result != CURLE_OK || transfer.failure != nil else { return end(transfer.id, .success(())) }
        if case .running(let easy, _) = transfer.phase, transfer.mayGoOnElsewhere(easy, result) {
            multi.remove(easy)
            transfer.leaveKeptConnections()
            return run(transfer)
        }
        let error = transfer.error(for: result)
        if error.code == .headersTooLarge, result == CURLE_RECV_ERROR, let easy = transfer.easy {
            // HTTP/2 on it is broken, and libcurl would use it again.
            unsafe transport_end_connection(easy.pointer)
        }
        end(transfer.id, .failure(error))
    }

    /// Ends a transfer, whatever its phase.
    ///
    /// Every transfer ends here.
    func end(_ id: UInt64, _ result: Result<Void, any Error>) {
        guard let transfer = transfers.removeValue(forKey: id) else { return }
        deadlines.remove(transfer)
        recent = nil
        let phase = transfer.phase
        if transfer.end(result, at: EventLoop.nanoseconds) { undelivered.append(transfer) }
        switch phase {
        case .running(let easy, _):
            multi.remove(easy)
            admission.leave(transfer.origin)
        case .lookingUp:
            leaveLookUp(transfer)
            admission.leave(transfer.origin)
        case .queued:
            admission.abandon(transfer)
        case .new, .ended:
            break
        }
    }

    // MARK: - Deadlines

    /// Nanoseconds after which the deadlines are checked within a turn.
    private static let expiryInterval: UInt64 = 20_000_000

    /// Ends the transfers whose deadline has passed.
    ///
    /// A transfer with activity since its deadline was noted gets a new deadline.
    func expireDeadlines() {
        nextExpiry = now + Self.expiryInterval
        while let transfer = deadlines.first, transfer.wakeTime <= now {
            if transfer.deadline <= now {
                end(transfer.id, .failure(transfer.timeout(.total)))
            } else if case .lookingUp(_, let until) = transfer.phase, until <= now {
                end(transfer.id, .failure(transfer.error(for: CURLE_OPERATION_TIMEDOUT)))
            } else if let idle = transfer.idleDeadline, idle <= now {
                end(transfer.id, .failure(transfer.timeout(.silence)))
            } else if let pace = transfer.paceDeadline, pace <= now, !transfer.beginPace(at: now) {
                end(transfer.id, .failure(transfer.timeout(.pace)))
            } else {
                reschedule(transfer)
            }
        }
    }

    /// Notes the next deadline of the transfer.
    ///
    /// Activity only postpones the deadline, so it changes nothing here.
    func reschedule(_ transfer: Transfer) {
        guard transfer.heapPosition != nil else { return }
        transfer.wakeTime = transfer.nextDeadline
        deadlines.update(transfer)
    }
}
