// SPDX-License-Identifier: MIT
import ImageCoding
import Locks
import TaskCoordination

/// Lets the loads of one original meet in one job.
///
/// A load says from its start what it will make of the original. So the plan of a job knows of loads that wait for the
/// same transfer, or read the same file, and come a moment later.
///
/// Example: while `[A]`, `[A, B]` and `[C]` wait for one transfer, the file is decoded once, and A, B and C each run
/// once.
final class JobTable: Sendable {
    /// What one load will make; it counts until the last reference goes.
    final class Wish: Sendable {
        fileprivate let identity: RequestIdentity
        private let table: JobTable

        fileprivate init(_ identity: RequestIdentity, _ table: JobTable) {
            (self.identity, self.table) = (identity, table)
        }

        deinit { table.forget(ObjectIdentifier(self), identity) }
    }

    private struct Load {
        /// Of its wish.
        let id: ObjectIdentifier
        let request: ImageRequest
        /// Whether it has come to a job.
        var hasAsked = false
    }

    /// An original that loads under way will make pictures of.
    private struct Wanted {
        var loads: [Load]
        /// The newest that a transfer has brought meanwhile. A load that has missed on disk before another one has
        /// stored the original would ask for it again.
        var arrived: Download?
        /// Those that may be joined.
        var jobs: [JobRun] = []
    }

    /// Where jobs run; `nil` for the global pool.
    let executor: (any TaskExecutor)?
    private let processor: ImageProcessor
    private let originals = Mutex<[RequestIdentity: Wanted]>([:])

    init(_ processor: ImageProcessor, executor: (any TaskExecutor)?) {
        (self.processor, self.executor) = (processor, executor)
    }

    /// The number of entries, of originals and jobs. For tests.
    var entryCount: Int { originals.withLock { $0.values.reduce(0) { $0 + 1 + $1.jobs.count } } }
}

// MARK: - Wishes

extension JobTable {
    /// Says that a load will make this picture.
    func wish(for request: ImageRequest, _ identity: RequestIdentity) -> Wish {
        let wish = Wish(identity, self)
        let load = Load(id: ObjectIdentifier(wish), request: request)
        originals.withLock { originals in
            // Most addresses have one load.
            guard var others = originals.updateValue(Wanted(loads: [load]), forKey: identity) else { return }
            others.loads.append(load)
            originals[identity] = others
        }
        return wish
    }

    private func forget(_ id: ObjectIdentifier, _ identity: RequestIdentity) {
        // What it holds is released outside the lock.
        let (jobs, ended) = originals.withLock { originals -> ([JobRun], Wanted?) in
            guard var wanted = originals.removeValue(forKey: identity) else { return ([], nil) }
            wanted.loads.removeAll { $0.id == id }
            if wanted.loads.isEmpty { return (wanted.jobs, wanted) }
            originals[identity] = wanted
            return (wanted.jobs, nil)
        }
        for job in jobs { job.forget(id) }
        withExtendedLifetime(ended) {}
    }

    /// Tells the loads of the address that a transfer has brought the original. Called before the transfer lands, so
    /// that no load can begin between the transfer and this call.
    func noteArrival(_ download: Download, _ identity: RequestIdentity) {
        // What it replaces is released outside the lock, as its memory may let other work begin.
        let replaced = originals.withLock { originals -> Download? in
            guard var wanted = originals[identity], download.number > wanted.arrived?.number ?? -1 else { return nil }
            let replaced = wanted.arrived
            wanted.arrived = download
            // An assignment in place would cost three allocations.
            originals[identity] = wanted
            return replaced
        }
        withExtendedLifetime(replaced) {}
    }

    /// The newest original that a transfer has brought while a load of the address was under way. The disk may not have
    /// it yet.
    func arrived(_ identity: RequestIdentity) -> Original? {
        originals.withLock { $0[identity]?.arrived }.map { Original($0) }
    }

    /// Forgets what transfers have brought for one original, or for all: it is no longer in the caches, so the origin
    /// is asked again.
    func forgetArrivals(of identity: RequestIdentity? = nil) {
        let forgotten = originals.withLock { originals in
            let identities = identity.map { [$0] } ?? Array(originals.keys)
            return identities.map { originals[$0]?.arrived.take() }
        }
        withExtendedLifetime(forgotten) {}
    }
}

// MARK: - Jobs

extension JobTable {
    /// Makes a picture, and a file of it unless `end` is `nil`, together with the other loads of the original.
    ///
    /// **Cancellation**: returns at once; the work goes on for the others.
    ///
    /// - Parameter isProof: Whether the picture only shows that the file is one.
    /// - Throws: ``ImageError`` for a file that cannot be decoded; `CancellationError`; `CoordinationError`. What ends
    ///   transformers and encoders is in the product, because the file is a picture all the same.
    func product(
        of source: PictureJob.Source, for request: ImageRequest, as end: OutputFormat?, isProof: Bool = false,
        _ wish: Wish
    ) async throws -> JobProduct {
        if end == nil, case .file(let original) = source,
            let product = try processor.decodedAtOnce(original, for: request)
        {
            return product
        }
        var joins = true
        while true {
            do {
                let output = JobOutput(request, end, isProof: isProof, wish: ObjectIdentifier(wish))
                return try await answer(output, source, wish, joins: joins)
            } catch is JobRun.Refusal {
                joins = false
            }
        }
    }

    private func answer(
        _ output: JobOutput, _ source: PictureJob.Source, _ wish: Wish, joins: Bool
    ) async throws -> JobProduct {
        let (job, isNew, previous) = originals.withLock { originals -> (JobRun, Bool, JobRun?) in
            var wanted = originals.removeValue(forKey: wish.identity) ?? Wanted(loads: [])
            defer { originals[wish.identity] = wanted }
            if let load = wanted.loads.firstIndex(where: { $0.id == output.wish }) {
                wanted.loads[load].hasAsked = true
            }
            let joined = joins ? wanted.jobs.first { $0.join(output, of: source) } : nil
            for job in wanted.jobs where job !== joined { job.forget(ObjectIdentifier(wish)) }
            if let joined { return (joined, false, nil) }
            let previous = wanted.jobs.last
            let job = JobRun(
                processor.job(of: source, output), wish.identity, processor, self, isFirst: previous == nil)
            wanted.jobs.append(job)
            return (job, true, previous)
        }
        if isNew { job.start(after: previous) } else { job.raise(to: Task.currentPriority) }
        var result: Result<JobProduct, any Error> = .failure(CancellationError())
        await withTaskCancellationHandler {
            await withPriorityEscalation(to: { job.raise(to: TaskPriority(rawValue: $0)) }) {
                result = await output.answer.wait()
            }
        } onCancel: {
            job.leave(output)
        }
        return try result.get()
    }

    /// Lets a job plan with the loads that will come to it, before any other can come: those that decode alike, and
    /// take the same road to the original.
    func plan(for identity: RequestIdentity, like request: ImageRequest, _ plan: ([JobOutput]) -> Void) {
        originals.withLock { originals in
            let loads = originals[identity]?.loads ?? []
            plan(
                loads.filter { load in
                    !load.hasAsked && load.request.cachePolicy == request.cachePolicy
                        && load.request.decodesAlike(request)
                }.map { JobOutput($0.request, wish: $0.id) })
        }
    }

    /// Takes out a job that no output may join any more.
    func remove(_ job: JobRun, _ identity: RequestIdentity) {
        originals.withLock { $0[identity]?.jobs.removeAll { $0 === job } }
    }
}

extension ImageRequest {
    /// Whether both decode the same file in the same way, apart from its size.
    func decodesAlike(_ other: ImageRequest) -> Bool {
        guard frameUse == other.frameUse else { return false }
        // A decoder keeps to a budget for one size alone.
        if byteBudget != nil, transformers.first?.key != other.transformers.first?.key { return false }
        guard parts != nil || other.parts != nil else { return true }
        return partsOrDefaults.decoding == other.partsOrDefaults.decoding && limits == other.limits
            && coders?.identity == other.coders?.identity
    }
}
