// SPDX-License-Identifier: MIT
import ImageCoding
import Locks
import TaskCoordination

/// Makes the previews of one transfer, for all its callers.
///
/// At most one preview of each size is decoded at a time. It is made of the bytes that have arrived by then, so a slow
/// decoder skips states of the file and never falls behind.
final class PreviewMaker: Sendable {
    typealias Listener = @Sendable (DecodedImage) -> Void
    /// A picture, and its share of the memory while it is the newest.
    typealias Preview = (image: DecodedImage, share: PictureShare)
    typealias Decoder = @Sendable (ReceivedBytes, PreviewSession) async throws -> Preview?

    /// The previews of one kind.
    private struct Series {
        var listeners: [ObjectIdentifier: Listener] = [:]
        var newest: Preview?
        /// The bytes that the newest preview, or the one in work, was made of.
        var byteCount = 0
        /// Decodes a preview; `nil` when none is in work.
        var task: PacedTask?
        /// Reads the file from preview to preview.
        let session = PreviewSession()
        /// When the next preview may begin, on the clock of the maker.
        var due = Duration.zero
    }

    private struct State {
        var series: [PreviewOptions: Series] = [:]
        var isOver = false
    }

    private let state = Mutex(State())
    private let age = Stopwatch()

    /// Looks at a report of progress: begins a preview if it is time for one, and hands a caller that is new the
    /// newest.
    ///
    /// - Parameters:
    ///   - received: The bytes so far.
    ///   - caller: The caller that has heard the report.
    ///   - executor: Where the preview is awaited; `nil` for the global pool.
    ///   - listener: Called with each preview, until the transfer has ended.
    ///   - decode: Makes a preview; `nil` when it cannot be made now.
    func hear(
        _ received: ReceivedBytes, _ options: PreviewOptions, for caller: AnyObject, on executor: (any TaskExecutor)?,
        _ listener: @escaping Listener, decode: @escaping Decoder
    ) {
        let newest = state.withLock { state -> DecodedImage? in
            guard !state.isOver else { return nil }
            var series = state.series[options] ?? Series()
            let isNew = series.listeners.updateValue(listener, forKey: ObjectIdentifier(caller)) == nil
            if series.task == nil, received.count > series.byteCount, age.elapsed >= series.due {
                series.byteCount = received.count
                // A report must not wait for it; `end()` cancels it.
                let session = series.session
                series.task = PacedTask("preview", on: executor, priority: .utility) {
                    await self.make(received, options, session, decode)
                    return nil
                }
            }
            state.series[options] = series
            return isNew ? series.newest?.image : nil
        }
        if let newest { listener(newest) }
    }

    private func make(
        _ received: ReceivedBytes, _ options: PreviewOptions, _ session: PreviewSession, _ decode: Decoder
    ) async {
        let watch = Stopwatch()
        // What has arrived may be too little for a picture.
        let preview = try? await decode(received, session)
        // The share of the one before is given back outside the lock.
        let (listeners, old) = state.withLock { state -> ([Listener], Preview?) in
            guard !state.isOver, var series = state.series[options] else { return ([], nil) }
            defer { state.series[options] = series }
            series.task = nil
            series.due = age.elapsed + options.pause(after: watch.elapsed, isPicture: preview != nil)
            guard let preview else { return ([], nil) }
            defer { series.newest = preview }
            return (Array(series.listeners.values), series.newest)
        }
        if let preview { for listener in listeners { listener(preview.image) } }
        withExtendedLifetime(old) {}
    }

    /// Makes no more previews, because the transfer has ended. A preview in work is cancelled.
    func end() {
        let ended = state.withLock { state in
            state.isOver = true
            defer { state.series = [:] }
            return state.series
        }
        for series in ended.values { series.task?.cancel() }
    }
}

extension Pipeline {
    /// Makes a preview from a report of progress, if the request asks for previews and it is time for one.
    ///
    /// - Parameters:
    ///   - caller: The caller that has heard the report.
    ///   - listener: Called with each preview of the transfer from now on.
    func preview(
        _ progress: LoadProgress, _ request: ImageRequest, for caller: AnyObject,
        _ listener: @escaping PreviewMaker.Listener
    ) {
        guard var options = request.previews, request.bodyTransformer == nil, hooks.bodyTransformer == nil,
            // The whole picture comes next.
            let received = progress.received, received.count != progress.expectedByteCount
        else { return }
        if options.isTransformed {
            if request.transformers.contains(where: Self.needsPreparation) { return }
            options.picture = request.variantKey
        }
        received.previews?.hear(received, options, for: caller, on: executor, listener) {
            [processing, options] received, session in
            try await processing.preview(of: received, options, for: request, session)
        }
    }
}
