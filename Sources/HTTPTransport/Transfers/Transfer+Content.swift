// SPDX-License-Identifier: MIT
import CLibcurl
import EventLoops

/// What a transfer sends when libcurl does not have it: large bytes, files and streams.
extension Transfer {
    enum ContentPiece {
        case bytes([UInt8])
        case pause
        case abort
    }

    /// The next bytes of the content; empty at its end.
    func nextContent(upTo capacity: Int, at now: UInt64) -> ContentPiece {
        noteActivity(at: now)
        guard let upload = order.upload else {
            let piece = (order.hop.request.body ?? []).dropFirst(sentCount).prefix(capacity)
            noteSent(piece.count)
            return .bytes(Array(piece))
        }
        let taken = upload.pipe.take(upTo: capacity) { [table = order.table, id] in table.mailbox.post(.sendMore(id)) }
        switch taken {
        case .bytes(let bytes):
            noteSent(bytes.count)
            return .bytes(bytes)
        case .end: return .bytes([])
        case .nothing:
            isStarved = true
            return .pause
        case .failed(let error):
            let cause = error as? HTTPError
            failure =
                cause
                ?? HTTPError(
                    code: .contentFailed, message: "The content of the request failed: \(error).", url: url,
                    cause: error)
            return .abort
        }
    }

    private func noteSent(_ count: Int) {
        sentCount += count
        order.reports?(.sending(byteCount: sentCount))
    }

    /// Notes how much of a content that libcurl has copied was sent before the response.
    func noteCopySent(by easy: EasyHandle) {
        guard sentCount == 0, order.reports != nil, order.hop.request.hasContent else { return }
        noteSent(easy.sentCount)
    }

    /// Begins the content anew, for a connection that was lost before the first byte of the response.
    /// - Returns: Whether the content can be repeated.
    func rewindContent() -> Bool {
        sentCount = 0
        return order.upload == nil
    }

    /// Notes that there is more of the content.
    /// - Returns: Whether libcurl waits for it.
    func endStarvation() -> Bool {
        defer { isStarved = false }
        return isStarved
    }
}
