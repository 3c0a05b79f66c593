// SPDX-License-Identifier: MIT
import TaskCoordination

/// A load with more than one flight: after a failure the same one again, then those of its alternatives.
extension Pipeline {
    private static let alternativeLimit = 8

    /// What the first flight with an answer brings.
    ///
    /// - Parameters:
    ///   - request: What is loaded first.
    ///   - asked: The request of the caller, before its file was found and hooks have changed it: they see each
    ///     alternative, too.
    func firstAnswer<P: Product>(
        _ request: ImageRequest, _ asked: ImageRequest, _ product: P, _ onProgress: @escaping Report
    ) async throws -> P.Value {
        let rule = request.retry ?? hooks.retry
        let first = request.ofFlight
        do {
            return try await insisting(first, asked.ofFlight, product, rule, onProgress)
        } catch let error as ImageLoadError where !error.isFinal {
            var error = error
            for alternative in request.alternatives.prefix(Self.alternativeLimit) {
                do {
                    let moved = asked.ofFlight.moved(to: alternative)
                    let other = try await prepared(found(moved))
                    let value = try await insisting(other, moved, product, rule, onProgress)
                    await keep(value, of: other, as: first, product)
                    return value
                } catch let failure as ImageLoadError where !failure.isFinal {
                    error.failuresOfAlternatives.append(failure)
                }
            }
            throw error
        }
    }

    /// What the flights of one request bring, begun anew as its rule says.
    ///
    /// - Parameter asked: The request before its file was found and hooks have changed it.
    private func insisting<P: Product>(
        _ request: ImageRequest, _ asked: ImageRequest, _ product: P, _ rule: LoadRetry?,
        _ onProgress: @escaping Report
    ) async throws -> P.Value {
        var (request, count) = (request, 1)
        while true {
            do {
                return try await fly(request, product, onProgress)
            } catch let error as ImageLoadError where !error.isFinal {
                guard let delay = try await delay(of: rule, request, error, count) else { throw error }
                await pause(delay)
                try Task.checkCancellation()
                try checkOpen(request)
            }
            // The broken file may still be at hand, and another one of its name in its place.
            jobs.forgetArrivals(of: RequestIdentity(request))
            if case .file? = asked.content { request = try await prepared(found(asked)) }
            request.retriesFailed = true
            count += 1
        }
    }

    /// Waits before another attempt, and no longer than until the shutdown begins, which refuses it.
    private func pause(_ delay: Duration) async {
        await withTaskGroup { [clock, isEnding] group in
            group.addTask { try? await clock.sleep(for: delay.countable) }
            group.addTask { _ = await isEnding.answer { $0 ? true : nil } }
            await group.next()
            group.cancelAll()
        }
    }

    private func delay(
        of rule: LoadRetry?, _ request: ImageRequest, _ error: ImageLoadError, _ count: Int
    ) async throws -> Duration? {
        do {
            return try await rule?.decide(.init(request: request, error: error, attemptCount: count))
        } catch {
            throw ImageLoadError.ofHook("retry", error, request.url)
        }
    }

    /// Stores what an alternative has brought as what the request asked for: in memory the product, on disk the
    /// original. What the other origin has said goes with neither, because its validators mean nothing here.
    private func keep<P: Product>(
        _ value: P.Value, of other: ImageRequest, as request: ImageRequest, _ product: P
    ) async {
        let (writer, original, source) = (writer(for: request), request.originalKey, other.originalKey)
        let (caches, picture, url) = (writer.caches, value.inMemory.withoutOrigin, other.url)
        // What was sent for one user alone is not for all, and what the first origin has sent is better.
        guard request.cachePolicy != .http, other.allowsDisk || !request.allowsDisk,
            (try? await caches.storesEntry(original)) != true
        else { return }
        let (writes, key) = (request.cacheWrites.intersection(other.cacheWrites), product.name(for: request))
        if product.tiers(writes, request).contains(.memory), !caches.memory.contains(product.memoryKey(key)) {
            writer.remember(picture, as: product.memoryKey(key), of: original, request.lifetime)
        }
        guard let disk = caches.disk, request.allowsDisk, writes.original.contains(.disk), source != original
        else { return }
        await writer.store(
            as: original, of: original, number: picture.number, byteCount: 0, waits: request.waitsForStores,
            request.lifetime
        ) {
            await caches.writes?.settle(source)
            // Another caller may have had the alternative meanwhile.
            guard try await !disk.contains(original),
                let file = try await disk.entry(for: source).flatMap({ EncodedImage($0) })
            else { return nil }
            return DiskEntry(file, url: url)
        }
    }
}

extension ImageLoadError {
    /// Whether no other attempt can succeed.
    fileprivate var isFinal: Bool { code == .shutDown || code == .reentrant }
}
