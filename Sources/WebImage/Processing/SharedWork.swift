// SPDX-License-Identifier: MIT
import ImageCoding
import Locks
import TaskCoordination

/// Lets the loads of one original share decoding and transforming.
///
/// A load says from its start what it will make of the original. The first load that has the file makes a plan for all
/// that wait: loads that begin with the same transformers share these, and loads of different sizes share one decode,
/// at the largest size that serves them all. A load that is alone makes its picture in one job.
///
/// Example: while `[A]`, `[A, B]` and `[C]` wait for one transfer, the file is decoded once, and A, B and C each run
/// once.
final class SharedWork: Sendable {
    /// What one load will make; it counts until the last reference goes.
    final class Wish: Sendable {
        fileprivate let identity: RequestIdentity
        private let work: SharedWork

        fileprivate init(_ identity: RequestIdentity, _ work: SharedWork) {
            (self.identity, self.work) = (identity, work)
        }

        deinit {
            let id = ObjectIdentifier(self)
            // Its plan may hold pictures, which are released outside the lock.
            let ended = work.originals.withLock { originals -> Wanted? in
                guard let wanted = originals.removeValue(forKey: identity) else { return nil }
                if wanted.loads.count > 1 {
                    originals[identity] = Wanted(loads: wanted.loads.filter { $0.id != id }, arrived: wanted.arrived)
                }
                return wanted
            }
            withExtendedLifetime(ended) {}
        }
    }

    fileprivate struct Load: Sendable {
        /// Of its wish.
        let id: ObjectIdentifier
        let request: ImageRequest
        /// `nil` until one of the loads has the file.
        var plan: SharedPlan?
    }

    /// An original that loads under way will make pictures of.
    fileprivate struct Wanted: Sendable {
        var loads: [Load]
        /// The newest that a transfer has brought meanwhile. A load that has missed on disk before another one has
        /// stored the original would ask for it again.
        var arrived: Download?
    }

    private let processor: ImageProcessor
    private let originals = Mutex<[RequestIdentity: Wanted]>([:])
    private let steps: InFlight<SharedPlan.Step, ProcessedOriginal, Never>

    init(_ processor: ImageProcessor, executor: (any TaskExecutor)?) {
        self.processor = processor
        steps = InFlight(name: "process", executor: executor)
    }

    /// The number of entries, of wishes and shared steps. For tests.
    var entryCount: Int { steps.entryCount + originals.withLock { $0.count } }

    /// Says that a load will make this picture.
    func wish(for request: ImageRequest, _ identity: RequestIdentity) -> Wish {
        let wish = Wish(identity, self)
        let load = Load(id: ObjectIdentifier(wish), request: request)
        originals.withLock { originals in
            // Most addresses have one load.
            guard let others = originals.updateValue(Wanted(loads: [load]), forKey: identity) else { return }
            originals[identity] = Wanted(loads: others.loads + [load], arrived: others.arrived)
        }
        return wish
    }

    /// Tells the loads of the address that a transfer has brought the original. Called before the transfer lands, so
    /// that no load can begin between the transfer and this call.
    func noteArrival(_ download: Download, _ identity: RequestIdentity) {
        originals.withLock { originals in
            guard var wanted = originals[identity], download.number > wanted.arrived?.number ?? -1 else { return }
            wanted.arrived = download
            // An assignment in place would cost three allocations.
            originals[identity] = wanted
        }
    }

    /// The newest original that a transfer has brought while a load of the address was under way. The disk may not have
    /// it yet.
    func arrived(_ identity: RequestIdentity) -> Original? {
        originals.withLock { $0[identity]?.arrived }.map { Original($0) }
    }

    /// Forgets what transfers have brought for one original, or for all: it is no longer in the caches, so the origin
    /// is asked again.
    func forgetArrivals(of identity: RequestIdentity? = nil) {
        originals.withLock { originals in
            if let identity { return originals[identity]?.arrived = nil }
            for identity in originals.keys { originals[identity]?.arrived = nil }
        }
    }

    /// Decodes a file and transforms the picture, together with the other loads that want a picture of it.
    func process(_ original: Original, for request: ImageRequest, _ wish: Wish) async throws -> ProcessedOriginal {
        guard let plan = plan(for: wish, request, original), plan.generation == original.generation else {
            return try await processor.process(original, for: request)
        }
        do {
            return try await process(original, for: request, beside: plan.others(than: wish), plan)
        } catch let error as ImageError where error.code == .memoryLimitExceeded {
            // Another load may want more of the picture than there is memory for. The header tells, so this is quick.
            return try await processor.process(original, for: request)
        }
    }

    /// - Parameter others: The requests of other loads.
    private func process(
        _ original: Original, for request: ImageRequest, beside others: [ImageRequest], _ plan: SharedPlan
    ) async throws -> ProcessedOriginal {
        if others.isEmpty { return try await processor.process(original, for: request) }
        let count = others.map { request.commonTransformerCount(with: $0) }.max() ?? 0
        var base = request
        base.transformers = Array(request.transformers.prefix(count))
        let shared = try await value(of: SharedPlan.Step(plan: plan, name: base.variantKey)) { [base] in
            if count == 0 { return try await self.decode(original, base, for: others + [request]) }
            let rest = others.filter { base.commonTransformerCount(with: $0) < count }
            return try await self.process(original, for: base, beside: rest, plan)
        }
        if count == 0 { return try await processor.transform(shared, of: request) }
        return try await processor.transform(shared, by: request.transformers.dropFirst(count))
    }

    /// The picture of a step: kept by the plan, or made by a flight.
    private func value(
        of step: SharedPlan.Step, _ make: @escaping @Sendable () async throws -> ProcessedOriginal
    ) async throws -> ProcessedOriginal {
        if let kept = step.plan.kept(step.name) { return kept }
        return try await steps.value(for: step, priority: nil) { _ in
            // An earlier flight may have landed since the look above.
            if let kept = step.plan.kept(step.name) { return kept }
            let made = try await make()
            // The picture of a cancelled step may be an error.
            try Task.checkCancellation()
            step.plan.keep(made, step.name)
            return made
        }
    }

    /// Decodes the original at the largest size that serves all requests.
    private func decode(
        _ original: Original, _ whole: ImageRequest, for requests: [ImageRequest]
    ) async throws -> ProcessedOriginal {
        let size = try await processor.size(of: original, for: requests[0])
        let box = DecodingBox.size(of: requests, original: size)
        return try await processor.process(original, for: whole, thumbnail: box)
    }

    /// The plan of a load; `nil` for a load that is alone.
    private func plan(for wish: Wish, _ request: ImageRequest, _ original: Original) -> SharedPlan? {
        let id = ObjectIdentifier(wish)
        return originals.withLock { originals in
            guard let wanted = originals[wish.identity] else { return nil }
            // Also when the others have ended: the plan keeps what they made.
            if let plan = wanted.loads.first(where: { $0.id == id })?.plan { return plan }
            let members = wanted.loads.filter { $0.plan == nil && $0.request.decodesAlike(request) }
            guard members.count > 1 else { return nil }
            let plan = SharedPlan(members.map { ($0.id, $0.request) }, original.generation)
            let ids = Set(members.map(\.id))
            let loads = wanted.loads.map { load in
                var load = load
                if ids.contains(load.id) { load.plan = plan }
                return load
            }
            originals[wish.identity] = Wanted(loads: loads, arrived: wanted.arrived)
            return plan
        }
    }
}

/// What the loads of one original have in common, from when the first of them has the file. It keeps the shared
/// pictures until the last of these loads has ended.
final class SharedPlan: Sendable {
    /// A picture that several loads need on their way: the original, decoded and transformed so far.
    struct Step: Hashable, Sendable, CustomStringConvertible {
        let plan: SharedPlan
        /// The name of the picture.
        let name: CacheKey

        static func == (one: Step, other: Step) -> Bool { one.plan === other.plan && one.name == other.name }

        func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(plan))
            hasher.combine(name)
        }

        var description: String { name.rawValue }
    }

    /// The content that the plan is for.
    let generation: ContentGeneration
    private let members: [(id: ObjectIdentifier, request: ImageRequest)]
    private let pictures = Mutex<[CacheKey: ProcessedOriginal]>([:])

    init(_ members: [(id: ObjectIdentifier, request: ImageRequest)], _ generation: ContentGeneration) {
        self.members = members
        self.generation = generation
    }

    /// The requests of the other members.
    func others(than wish: SharedWork.Wish) -> [ImageRequest] {
        members.filter { $0.id != ObjectIdentifier(wish) }.map(\.request)
    }

    func kept(_ name: CacheKey) -> ProcessedOriginal? { pictures.withLock { $0[name] } }

    func keep(_ picture: ProcessedOriginal, _ name: CacheKey) { pictures.withLock { $0[name] = picture } }
}

/// The size that a file is decoded to for several loads.
private enum DecodingBox {
    /// - Parameter original: The size of the file's picture.
    /// - Returns: `nil` when one of the loads needs the full size.
    static func size(of requests: [ImageRequest], original: PixelSize) -> PixelSize? {
        var largest = 0.0
        for request in requests {
            guard let resize = ResizeTransformer.leading(request.transformers).thumbnail else { return nil }
            let result = resize.resultSize(for: original)
            // The larger of both scales covers the result, of which `.fill` crops and `.stretch` squeezes a side.
            let scales = [
                Double(result.width) / Double(max(1, original.width)),
                Double(result.height) / Double(max(1, original.height)),
            ]
            largest = max(largest, scales[0], scales[1])
        }
        guard largest > 0, largest < 1 else { return nil }
        return PixelSize(
            width: Int((Double(original.width) * largest).rounded(.up)),
            height: Int((Double(original.height) * largest).rounded(.up)))
    }
}

extension ImageRequest {
    /// The number of transformers at the beginning that both have.
    fileprivate func commonTransformerCount(with other: ImageRequest) -> Int {
        zip(transformers, other.transformers).prefix { $0.key.utf8.elementsEqual($1.key.utf8) }.count
    }

    /// Whether both decode the same file in the same way, apart from its size.
    fileprivate func decodesAlike(_ other: ImageRequest) -> Bool {
        guard firstFrameOnly == other.firstFrameOnly else { return false }
        guard parts != nil || other.parts != nil else { return true }
        return partsOrDefaults.decoding == other.partsOrDefaults.decoding && limits == other.limits
            && coders?.identity == other.coders?.identity
    }
}
