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
    /// Decodes the beginning of a file at a small size, or at that of the picture if it is transformed. Of an
    /// animation, the frames that have arrived.
    ///
    /// - Returns: `nil` when other work has the memory that it takes, or the request wants none of such a file.
    func preview(
        of received: ReceivedBytes, _ wish: PreviewOptions, for request: ImageRequest, _ session: PreviewSession
    ) async throws -> PreviewMaker.Preview? {
        var small = DecodeOptions(
            limits: limits(for: request), firstFrameOnly: request.firstFrameOnly, framesOnDemand: true,
            thumbnail: .resize(to: wish.size), failOn: .never)
        if wish.isTransformed {
            small.byteBudget = request.byteBudget
            small.scale = request.scale
            small.keepsColors = request.keepsColors
        }
        let coders = coders(for: request)
        let leavesAnimations = !request.firstFrameOnly && !request.transformsAnimations
        return try await perform(0, for: request, priority: .utility) { [queue, small] turn in
            let bytes = received.bytes
            var (options, steps) = (small, [any ImageTransforming]())
            if wish.isTransformed {
                // What may be an animation is left as it is, but for a resize that comes first.
                let isLeft = try leavesAnimations && coders.properties(of: bytes, options: small).frameCount != 1
                (options.thumbnail, steps) = ResizeTransformer.leading(
                    isLeft ? request.transformers.firstResize : request.transformers)
            }
            let content = wish.content(of: bytes)
            let scans = try session.preview(of: bytes) {
                guard content.contains(.scans) else { return .anew }
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
            if scans == nil {
                guard content.contains(.parts),
                    turn.grow(by: try coders.decodingByteCount(of: bytes, options: options))
                else { return nil }
            }
            var image = try scans ?? coders.decode(bytes, options: options)
            for step in steps {
                let result = step.resultSize(for: image.size).bitmapByteCount.saturatingMultiply(image.frameCount)
                guard turn.grow(by: result.saturatingAdd(step.workingByteCount(for: image.size))) else { return nil }
                image = try step.transform(image)
            }
            return (image, turn.share(of: image.byteCount))
        }
    }
}

extension [any ImageTransforming] {
    /// The first step alone, if it is a resize.
    fileprivate var firstResize: Self {
        let steps = TransformerPipeline(self).steps
        return Array(steps.prefix(steps.first is ResizeTransformer ? 1 : 0))
    }
}
