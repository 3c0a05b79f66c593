// SPDX-License-Identifier: MIT
import Locks
public import PlatformBasics
import TaskCoordination

extension ImageManager {
    /// What a program decides about every load of a manager. Nothing by default.
    ///
    /// Hooks that change bytes have a name, which becomes part of every request's identity and key. A request that has
    /// such a part itself keeps its own.
    public struct Hooks: Sendable {
        /// Names the content of an address instead of the URL, for example without a signature in the query; `nil`
        /// leaves the URL. A request with its own ``ImageRequest/cacheKey`` is not asked for.
        ///
        /// Two addresses that it gives one name must bring the same picture, whichever user it is for. Not async,
        /// because ``ImageManager/peek(_:)`` asks it in the turn of its caller. It must return soon.
        public var cacheKey: (@Sendable (URL) -> String?)?
        /// Changes every request before it is loaded: adds transformers, chooses caches, or throws to refuse it. An
        /// error that is no ``ImageLoadError`` ends the load with code `.hookFailed`.
        ///
        /// It is cancelled, and not waited for, when its caller is cancelled. ``ImageManager/peek(_:)`` asks it, too,
        /// within the call: one that suspends is cancelled, and the peek finds nothing.
        public var requestProcessor: (@concurrent @Sendable (ImageRequest) async throws -> ImageRequest)?
        /// Changes the head of every response.
        public var responseModifier: ResponseModifier?
        /// Changes the bytes of every body before they are decoded and stored.
        public var bodyTransformer: BodyTransformer?
        /// Makes the bytes that the disk keeps of every original.
        public var cacheSerializer: CacheSerializer?
        /// Whether the origin may be asked. Asked when the caches have no answer; `false` ends the load with code
        /// `.refused`.
        public var shouldDownload: (@concurrent @Sendable (ImageRequest) async -> Bool)?
        /// Whether a failure is remembered, so that the address is not asked again at once. Must return soon. By
        /// default a missing picture (404, 410) and a file that is no picture are remembered.
        public var shouldRemember: (@Sendable (ImageLoadError) -> Bool)?
        /// Decides whether a load begins anew after a failure. A request with its own ``ImageRequest/retry`` is not
        /// asked for.
        public var retry: LoadRetry?

        /// Creates hooks that do nothing.
        public init() {}

        /// Whether a hook gives requests parts or names.
        var changesRequests: Bool {
            cacheKey != nil || responseModifier != nil || bodyTransformer != nil || cacheSerializer != nil
        }

        /// The request with the parts and the name that the hooks give it.
        func applied(to request: ImageRequest) -> ImageRequest {
            var request = request
            if request.cacheKey == nil, request.content == nil, let name = cacheKey?(request.url) {
                request.cacheKey = name
            }
            request.changeParts { parts in
                parts.responseModifier = parts.responseModifier ?? responseModifier
                parts.bodyTransformer = parts.bodyTransformer ?? bodyTransformer
                parts.serializer = parts.serializer ?? cacheSerializer
            }
            return request
        }
    }
}

extension Pipeline {
    /// The request with the parts and the name that the manager's hooks give it.
    @inline(__always) func named(_ request: ImageRequest) -> ImageRequest {
        let request = hooksChangeRequests ? hooks.applied(to: request) : request
        return loadsLocally || request.parts != nil ? adaptedToPlace(request) : request
    }

    /// The request with the cache settings for the place of its content.
    ///
    /// A copy on disk of what is on this machine would only be older. So the loader is asked each time whether a file
    /// has changed. What is in the URL itself does not change.
    @inline(never) private func adaptedToPlace(_ request: ImageRequest) -> ImageRequest {
        if request.content != nil { return request.found.withoutOrigin }
        let schemes = (request.loader?.part ?? downloader.transport).localSchemes
        guard !schemes.isEmpty, let scheme = request.url.scheme?.lowercased(), schemes.contains(scheme) else {
            return request
        }
        var request = request
        request.cacheReads.original.remove(.disk)
        request.cacheWrites.original.remove(.disk)
        if scheme != "data", request.cachePolicy == .cacheFirst { request.cachePolicy = .revalidate }
        return request
    }

    /// The request as it is loaded, after the hooks of the manager.
    ///
    /// **Cancellation**: returns at once; the hook, which is cancelled, returns when it does.
    func prepared(_ request: ImageRequest) async throws -> ImageRequest {
        guard let processor = hooks.requestProcessor else { return named(request) }
        let answer = OneShot<Result<ImageRequest, any Error>>()
        let result = await answer.wait(
            for: "request processor", on: executor, onCancel: .failure(CancellationError())
        ) {
            do { answer.resolve(.success(try await processor(request))) } catch { answer.resolve(.failure(error)) }
        }
        do {
            return try named(result.get())
        } catch {
            throw ImageLoadError.ofHook("requestProcessor", error, request.url)
        }
    }

    /// The request as it is loaded; `nil` when a hook refuses it or has to wait.
    @inline(__always) func preparedAtOnce(_ request: ImageRequest) -> ImageRequest? {
        hooksProcessRequests ? processedAtOnce(request) : named(request)
    }

    @inline(never) private func processedAtOnce(_ request: ImageRequest) -> ImageRequest? {
        guard let processor = hooks.requestProcessor else { return nil }
        final class Answer: Sendable { let request = Mutex<ImageRequest?>(nil) }
        let answer = Answer()
        // An immediate task runs within this call until the hook suspends. What it brings later is not used.
        let hook = Task.immediate(name: "request processor") {
            let processed = try? await processor(request)
            answer.request.withLock { $0 = processed }
        }
        defer { hook.cancel() }
        return answer.request.withLock { $0 }.map { named($0) }
    }

    /// Remembers a failure, if it is lasting.
    func remember(_ error: any Error, of key: LoadKey, _ request: ImageRequest) {
        // A file that the program has costs no origin anything, and a request that is remembered would keep it.
        guard request.content == nil, let error = error as? ImageLoadError, error.code != .recentlyFailed,
            hooks.shouldRemember?(error) ?? error.isLasting
        else { return }
        let lifetime = key.isRuled ? negativeLifetime(of: error, request) : nil
        var bare = request
        bare.userInfo = [:]
        let key = request.userInfo.isEmpty ? key : LoadKey(bare, variant: key.variant)
        failures.record(error, for: key, isOfAddress: error.isOfAddress, lifetime: lifetime)
    }
}
