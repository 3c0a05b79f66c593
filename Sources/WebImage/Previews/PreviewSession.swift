// SPDX-License-Identifier: MIT
import ImageCoding
import Locks
import TaskCoordination

/// What reads an arriving file for the previews of one kind, from one preview to the next.
final class PreviewSession: Sendable {
    /// A decoder in the middle of its file, and its share of memory until the transfer ends.
    struct Reading: Sendable {
        let previewer: any ImagePreviewing
        let share: PictureShare
    }

    /// What can be done about a file.
    enum Beginning {
        case reading(Reading)
        /// Its beginning is decoded anew for each preview.
        case anew
        /// Not known yet, or there is no memory now.
        case later
    }

    private let state = Mutex(Beginning.later)

    /// The picture of the bytes so far.
    ///
    /// - Parameters:
    ///   - bytes: The beginning of the file. Calls come one at a time, with more bytes each.
    ///   - begin: Begins to read the file.
    /// - Returns: `nil` when the bytes must be decoded anew.
    /// - Throws: `CancellationError`.
    func preview(of bytes: [UInt8], begin: () -> Beginning) throws -> DecodedImage? {
        var beginning = state.withLock { $0 }
        if case .later = beginning {
            beginning = begin()
            state.withLock { [beginning] in $0 = beginning }
        }
        guard case .reading(let reading) = beginning else { return nil }
        do {
            return try reading.previewer.preview(of: bytes)
        } catch is ImageError {
            // Broken data, or a limit. What a decoder makes of it anew is another question.
            state.withLock { $0 = .anew }
            return nil
        }
    }
}

extension ImageProcessor {
    /// Decodes the beginning of a file at a small size: of an animation, the frames that have arrived.
    ///
    /// - Returns: `nil` when other work has the memory that it takes.
    func preview(
        of received: ReceivedBytes, in box: PixelSize, for request: ImageRequest, _ session: PreviewSession
    ) async throws -> PreviewMaker.Preview? {
        let options = DecodeOptions(
            limits: limits(for: request), firstFrameOnly: request.firstFrameOnly, framesOnDemand: true,
            thumbnail: .resize(to: box), failOn: .never)
        let coders = coders(for: request)
        return try await perform(0, for: request, priority: .utility) { [queue] turn in
            let bytes = received.bytes
            var image = try session.preview(of: bytes) {
                // A file without a whole header yet.
                guard let previewer = try? coders.previewer(for: bytes, options: options) else {
                    return (try? coders.properties(of: bytes, options: options)) == nil ? .later : .anew
                }
                // Transfers may be slow, so those that arrive leave half of the memory to pictures that have come.
                guard let share = queue.share(of: previewer.byteCount, within: queue.byteLimit / 2) else {
                    return .later
                }
                return .reading(PreviewSession.Reading(previewer: previewer, share: share))
            }
            if image == nil, turn.grow(by: try coders.decodingByteCount(of: bytes, options: options)) {
                image = try coders.decode(bytes, options: options)
            }
            return image.map { ($0, turn.share(of: $0.byteCount)) }
        }
    }
}
