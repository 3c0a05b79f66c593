// SPDX-License-Identifier: MIT
import PlatformBasics
import WebImage

extension Outcome {
    /// A line for files and for `grep`.
    var line: String {
        switch result {
        case .success(let picture):
            let columns = [
                (picture.source.rawValue, 11), (picture.format.name, 4), (picture.size, 14),
                ("\(picture.bytes) bytes", 16), ("\(time) ms", 8),
            ]
            let table = columns.map { $0.padded(to: $1) }
            let remark = picture.damage.isEmpty ? [] : ["damaged: \(picture.damage)"]
            return (table + [picture.file, url] + remark).joined(separator: "  ").printable
        case .failure: return failureLine(.none)
        }
    }

    /// The line of a failure.
    func failureLine(_ colours: Colours) -> String {
        guard case .failure(let failure) = result else { return "" }
        return colours.failure("failed") + "   \(failure.code): \(failure.message)  \(url)".printable
    }

    /// A line for a terminal that is this wide.
    ///
    /// - Parameters:
    ///   - columns: At least 1.
    ///   - labels: What tells the URLs of the run apart, where there is no room for the whole one.
    func line(columns: Int, _ colours: Colours, _ labels: Labels = Labels([])) -> String {
        let room = columns - 1
        switch result {
        case .success(let picture):
            // What tells pictures apart comes first: numbers take what their names leave.
            var table = [picture.source.rawValue.padded(to: room < 56 ? 7 : 11)]
            if room >= 56 { table.append(picture.size.leftPadded(to: 11)) }
            if room >= 66 { table.append(Amount.bytes(picture.bytes).leftPadded(to: 7)) }
            if room >= 76 { table.append(Amount.milliseconds(time).leftPadded(to: 6)) }
            let start = table.joined(separator: "  ") + "  "
            let remark = picture.damage.description.shortened(to: max(0, room - start.count - 2))
            let ending = remark.isEmpty ? "" : "  " + colours.failure(remark)
            let taken = remark.isEmpty ? 0 : remark.columnCount + 2
            let (file, space) = (picture.file.printable, max(0, room - taken - start.count))
            let label = labels.label(for: url.printable)
            let hasRoom = file.columnCount + 2 + min(24, label.columnCount) <= space
            let last = hasRoom ? file[...] : file.split(separator: "/").last ?? ""
            let text = start + String(last).shortened(to: space)
            let left = room - taken - text.columnCount - 2
            let address = url.printable
            let short = label.shortened(to: max(0, left), sharing: labels.shared)
            let source = address.columnCount <= left ? address : left < 10 ? "" : short
            let name = source.isEmpty ? "" : "  " + colours.dim(source)
            return colours.source(picture.source, text) + ending + name
        case .failure: return failureLine(colours)
        }
    }

    /// The time of the transfer when there was one, without the wait for a free slot; else the time of the load.
    private var time: Int {
        guard case .success(let picture) = result, let total = picture.transfer?.total else { return milliseconds }
        return Int(total / .milliseconds(1))
    }

    /// What the origin answered and how long each step took, for `--verbose`.
    var details: [String] {
        var lines: [String] = []
        if let answer { lines.append("status \(answer.status), \(answer.contentType ?? "no content type")") }
        if case .success(let picture) = result, let transfer = picture.transfer {
            let peer = transfer.remoteAddress.map { " from \($0)" } ?? ""
            let attempts = transfer.attemptCount > 1 ? ", \(transfer.attemptCount) tries" : ""
            let redirects = transfer.redirectCount > 0 ? ", \(transfer.redirectCount) redirects" : ""
            lines.append(
                "\(transfer.bytesReceived) bytes\(peer), HTTP/\(transfer.httpVersion ?? "?")\(redirects)\(attempts)")
            let steps = [
                ("name", transfer.nameLookup), ("connect", transfer.connect), ("TLS", transfer.tls),
                ("first byte", transfer.firstByte), ("whole transfer", transfer.total ?? .zero),
                ("with the wait", .milliseconds(milliseconds)),
            ]
            lines.append(steps.map { "\($0) \(Int($1 / .milliseconds(1))) ms" }.joined(separator: ", "))
        }
        return lines.map(\.printable)
    }
}

extension Outcome.Picture {
    /// `640x480`, with the number of frames of an animation after it.
    var size: String { "\(width)x\(height)" + (frames > 1 ? "x\(frames)" : "") }
}
