// SPDX-License-Identifier: MIT
import ImageCoding
import Locks
import TaskCoordination

/// The work of a job, on a thread of the pool.
extension JobRun {
    /// - Returns: Why it pauses; `nil` at the end.
    func work(_ turn: JobQueue.Turn) throws -> Pause? {
        let properties = try properties()
        if state.withLock({ $0.tree.base == nil }) {
            table.plan(for: identity, like: job.first.request) { announced in
                state.withLock { state in
                    state.tree.plan(
                        for: announced, of: properties.size, hasBudget: job.options.byteBudget != nil,
                        leavesAnimation: leavesAnimations && frameCount(properties) > 1)
                    provesOnly.store(
                        properties.frameCount != 1 && state.tree.outputs.allSatisfy(\.isProof), ordering: .releasing)
                }
            }
        }
        while true {
            if let byteCount = try reserve(turn, properties) { return .memory(byteCount) }
            let (work, wake) = state.withLock { state -> (JobTree.Work?, OneShot<Void>?) in
                if let work = state.tree.next() { return (work, nil) }
                return (nil, park(turn, &state))
            }
            guard let work else {
                if wake != nil { turn.end() }
                return wake.map { .nothingToDo($0) }
            }
            try Task.checkCancellation()
            switch work {
            case .decode(let base): try decode(base)
            case .transform(let node, let image, let step): try transform(node, image, step)
            case .finish(let node, let outputs, let image, let end): try finish(node, outputs, image, end, turn)
            }
        }
    }

    /// Prepares to give the thread back for as long as the job has nothing to do; `nil` when it is over, also because
    /// there is no room to keep its pictures.
    private func park(_ turn: JobQueue.Turn, _ state: inout sending State) -> OneShot<Void>? {
        guard !state.tree.isClosed else { return nil }
        guard let share = state.parked?.share ?? processor.queue.shareKept(state.tree.byteCount) else {
            _ = state.tree.close()
            return nil
        }
        let wake = OneShot<Void>()
        state.parked = (wake, share)
        state.turn = nil
        return wake
    }

    /// Reads the header.
    private func properties() throws -> ImageProperties {
        if let known = state.withLock({ $0.properties }) { return known }
        let properties: ImageProperties
        switch job.source {
        case .file(let original): properties = try job.coders.properties(of: original.bytes, options: job.options)
        case .picture(let picture):
            let image = picture.image
            properties = ImageProperties(
                format: picture.format, width: image.width, height: image.height, frameCount: image.frameCount,
                hasAlpha: image.hasAlpha, isLossless: picture.isLossless)
        }
        state.withLock { $0.properties = properties }
        return properties
    }

    /// Takes the memory for all of the job, unless it has that.
    ///
    /// - Returns: What it must wait for.
    private func reserve(_ turn: JobQueue.Turn, _ properties: ImageProperties) throws -> Int? {
        while true {
            let (tree, reserved) = state.withLock { ($0.tree, $0.reserved) }
            guard reserved == nil || !tree.isDecoded, !tree.outputs.isEmpty else { return nil }
            let byteCount = try byteCount(of: tree, properties)
            if byteCount > processor.queue.byteLimit {
                // Without it the others may fit, and alone it may fit, too.
                let (dearest, isAlone) = state.withLock { ($0.tree.dropDearest(), $0.tree.outputs.isEmpty) }
                answer(dearest, .failure(isAlone && !tree.isDecoded ? processor.refusal(of: byteCount) : Refusal()))
                continue
            }
            if reserved == nil || byteCount > reserved ?? 0 {
                guard turn.take(byteCount) else { return byteCount }
                state.withLock { $0.reserved = byteCount }
            }
            // What it has kept is in that. Given back outside the lock.
            let (parked, count) = state.withLock { ($0.parked.take(), $0.tree.outputs.count) }
            withExtendedLifetime(parked) {}
            // Others may have come meanwhile.
            if count <= tree.outputs.count { return nil }
        }
    }

    /// The memory that the job takes from now on. Decides whether frames are streamed.
    private func byteCount(of tree: JobTree, _ properties: ImageProperties) throws -> Int {
        let peak = peak(of: tree, properties)
        guard !tree.isDecoded, case .file(let original) = job.source, let base = tree.base else {
            return peak.saturatingAdd(state.withLock { $0.sourceByteCount })
        }
        let only = job.options.firstFrameOnly || properties.frameCount == 1 ? nil : tree.onlyOutput
        if processor.streamsAnimations, let only, let end = only.end, job.coders.animates(format(end, properties)) {
            state.withLock { $0.streams = $0.tree.onlyOutput === only }
        }
        guard state.withLock({ $0.streams }), let only, let end = only.end else {
            let options = options(base)
            let decoding = try job.coders.decodingByteCount(of: original.bytes, options: options)
            guard options.framesOnDemand else { return max(peak, decoding) }
            // What makes frames on demand stays beside the pictures.
            state.withLock { $0.sourceByteCount = decoding }
            return peak.saturatingAdd(decoding)
        }
        return try job.coders.transcodingByteCount(
            of: original.bytes, as: format(end, properties), transformers: base.steps(of: only),
            options: options(base), isWorstFile: false)
    }

    func peak(of tree: JobTree, _ properties: ImageProperties?) -> Int {
        guard let properties else { return 0 }
        let (held, frames) = heldFrameCount(tree.base, properties)
        return JobCost.peak(of: tree, frames: held) { node, output in
            guard let end = output.end else { return 0 }
            let mayBeClear = properties.hasAlpha || output.steps.contains { !($0 is ResizeTransformer) }
            return job.coders.encodingByteCount(
                ofSize: node.size, frames: frames, hasAlpha: mayBeClear, as: format(end, properties))
        }
    }

    func format(_ end: OutputFormat, _ properties: ImageProperties) -> EncodedFormat {
        let format = end.encodedFormat(
            original: properties.format, isLossless: properties.isLossless, coders: job.coders)
        return end == .original && job.first.request.keepsColors ? format.keepingProfile : format
    }

    private func options(_ base: JobBase) -> DecodeOptions {
        var options = job.options
        options.thumbnail = base.resize
        let (streams, properties) = state.withLock { ($0.streams, $0.properties) }
        if let properties {
            options.frames = frames(properties)
            options.framesOnDemand = streams || isOnDemand(base, properties)
        }
        return options
    }

    private func decode(_ base: JobBase) throws {
        let watch = Stopwatch()
        progress.begin()
        let (image, generation) = try decoded(base)
        // The result of a cancelled decoder is not usable.
        try Task.checkCancellation()
        let isCurrent = state.withLock { state in
            guard state.tree.decoded(image, base) else { return false }
            if leavesAnimations, image.isAnimated { state.tree.leaveAnimation() }
            (state.decodeTook, state.generation) = (watch.elapsed, generation)
            // In some formats only the whole file shows the number of frames.
            if !job.options.firstFrameOnly, state.properties?.frameCount == nil {
                state.properties?.frameCount = image.frameCount
            }
            return true
        }
        if isCurrent { noteDecoded() }
    }

    private func decoded(_ base: JobBase) throws -> (DecodedImage, ContentGeneration?) {
        switch job.source {
        case .file(let original):
            let image = try DecodingProgress.$current.withValue(progress) {
                try job.coders.decode(original.bytes, options: options(base))
            }
            return (state.withLock { $0.streams } ? image.releasingFirstFrame() : image, original.generation)
        case .picture(let picture):
            let image = job.options.firstFrameOnly ? picture.image.firstFrame : picture.image
            return (try base.resize?.transform(image) ?? image, picture.generation)
        }
    }

    private func transform(_ node: Int, _ image: DecodedImage, _ step: any ImageTransforming) throws {
        let watch = Stopwatch()
        do {
            let made = try step.transform(image)
            try Task.checkCancellation()
            state.withLock { $0.tree.made(node, made, took: watch.elapsed) }
        } catch {
            try Task.checkCancellation()
            let (lost, took) = state.withLock { ($0.tree.failed(node), $0.tree.took(before: node)) }
            answer(lost, .success(product(.failure(error), took: took + watch.elapsed)))
        }
    }

    private func finish(
        _ node: Int, _ outputs: [JobOutput], _ image: DecodedImage, _ end: OutputFormat?, _ turn: JobQueue.Turn
    ) throws {
        var (picture, file) = (image, Result<JobProduct.File, any Error>?.none)
        if let end, let properties = state.withLock({ $0.properties }) {
            let format = format(end, properties)
            file = Result {
                let image = try encodable(image, as: format, properties)
                let made = try image.notingDamage { try job.coders.encode($0, as: format) }
                picture.damage.formUnion(made.damage)
                return JobProduct.File(format: format, bytes: made.value)
            }
            if case .failure(let error) = file {
                try Task.checkCancellation()
                // The file shows its damage when a frame is asked for.
                if let error = error as? ImageError, error.isDamage, image.makesFramesOnDemand {
                    let isOver = state.withLock { state in
                        state.tree.finished(outputs)
                        return state.tree.closeIfDone()
                    }
                    if isOver { self.end(nil) }
                    return answer(outputs, .failure(error))
                }
            }
        }
        let (isKept, took, isOver) = state.withLock { state in
            state.tree.finished(outputs)
            let isKept = !state.tree.isDropped(node)
            if !isKept { state.reserved = state.reserved.map { max(0, $0 - image.byteCount) } }
            return (isKept, state.tree.nodes[node].took, state.tree.closeIfDone())
        }
        // The memory of a picture that the job has dropped goes with the answer.
        let share = isKept ? processor.queue.share(of: image.byteCount) : turn.share(of: image.byteCount)
        let product = product(.success(picture), file, share, took: took)
        // A caller that looks at the manager finds the work at its end.
        if isOver { self.end(nil) }
        answer(outputs, .success(product))
    }

    func product(
        _ picture: Result<DecodedImage, any Error>, _ file: Result<JobProduct.File, any Error>? = nil,
        _ share: PictureShare? = nil, took: Duration = .zero
    ) -> JobProduct {
        let (properties, generation, decodeTook) = state.withLock { ($0.properties!, $0.generation, $0.decodeTook) }
        return JobProduct(
            properties, generation, picture, file, share, decodeTook: decodeTook,
            transformTook: took == .zero ? nil : took)
    }
}
