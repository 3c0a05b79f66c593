// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// An error of a part that a program brings arrives as one `ImageLoadError` with the error inside, whichever call it
/// ends.
@Suite(.balanced, .timeLimit(.minutes(1))) struct ErrorSeamTests {
    /// The parts that may throw, each with the code that its error arrives with.
    enum Seam: CaseIterable {
        case transport, loader, body, modifier, responseModifier, bodyTransformer, requestProcessor
        case transformer, preparation, properties, decoder, encoder, entry, metadata, removal

        var code: ImageLoadError.Code {
            switch self {
            case .transport, .loader, .body: .transferFailed
            case .transformer, .preparation, .encoder: .processingFailed
            case .properties, .decoder: .undecodable
            case .modifier, .responseModifier, .bodyTransformer, .requestProcessor, .entry, .metadata, .removal:
                .hookFailed
            }
        }

        /// The calls that reach the part.
        var calls: Set<Call> {
            let loads: Set<Call> = [.image, .load, .original, .file, .events, .batch, .prefetch, .byRules, .refreshed]
            return switch self {
            case .transport, .loader, .body, .modifier, .responseModifier, .bodyTransformer: loads.union([.download])
            case .transformer, .preparation, .decoder: loads
            case .properties: loads.union([.store])
            case .encoder: [.file]
            case .requestProcessor: loads.union([.cached])
            case .entry: loads.union([.cached]).subtracting([.byRules])
            case .metadata: [.byRules, .contains]
            case .removal: [.remove, .clear]
            }
        }
    }

    enum Call: CaseIterable {
        case image, load, original, file, events, batch, prefetch, byRules, refreshed, cached, download
        case contains, remove, clear, store

        /// Runs the call, and throws what arrives.
        @concurrent func run(_ manager: ImageManager, _ request: ImageRequest) async throws {
            var request = request
            switch self {
            case .image: _ = try await manager.image(for: request)
            case .load: _ = try await manager.load(request)
            case .original: _ = try await manager.encodedImage(for: request)
            case .file: _ = try await manager.encodedImage(for: request, as: .png)
            case .events: for try await _ in manager.events(for: request) {}
            case .batch: for await outcome in manager.images(for: [request]) { _ = try outcome.result.get() }
            case .prefetch:
                let report = await ImagePrefetcher(manager: manager).prefetch([request])
                for failure in report.failures { throw failure.error }
            case .byRules:
                request.cachePolicy = .http
                _ = try await manager.load(request)
            case .refreshed:
                request.cachePolicy = .refreshCached
                for try await _ in manager.events(for: request) {}
            case .cached: _ = try await manager.cachedResponse(for: request)
            case .download: _ = try await manager.downloader.download(request)
            case .contains: _ = try await manager.contains(request)
            case .remove: try await manager.remove(request)
            case .clear: try await manager.clear()
            case .store: try await manager.store(Pictures.png(1), for: request)
            }
        }
    }

    private struct Mine: Error, Equatable { let number = 7 }

    /// Every part of a program, of which one throws.
    private struct Parts: HTTPLoading, AsyncSequence, AsyncIteratorProtocol, PreparingTransformer, ImageDecoding,
        ImageEncoding, CacheStoring
    {
        typealias Element = [UInt8]
        let seam: Seam
        let error: any Error
        private let coders = ImageCoders.default

        init(_ seam: Seam, _ error: any Error) { (self.seam, self.error) = (seam, error) }

        func check(_ other: Seam) throws { if seam == other { throw error } }

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            try check(.transport)
            try check(.loader)
            guard seam == .body else { return try HTTPResponse.picture(1, for: request) }
            return HTTPResponse(status: 200, url: request.url, body: HTTPBody(self))
        }
        func shutdown() async {}
        func makeAsyncIterator() -> Self { self }
        func next() async throws -> [UInt8]? {
            try check(.body)
            return nil
        }

        var key: String { "parts" }
        func prepared(with loader: any ImageLoading) async throws -> any ImageTransforming {
            try check(.preparation)
            return self
        }
        func transform(_ image: DecodedImage) throws -> DecodedImage {
            try check(.transformer)
            return image
        }

        func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { true }
        func canEncode(_ format: ImageFormat) -> Bool { true }
        func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
            try check(.properties)
            return try coders.properties(of: bytes, options: options)
        }
        func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
            try check(.decoder)
            return try coders.decode(bytes, options: options)
        }
        func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8] {
            try check(.encoder)
            return try coders.encode(image, as: format)
        }

        func entry(for key: CacheKey) async throws -> DiskEntry? {
            try check(.entry)
            return nil
        }
        func metadata(for key: CacheKey) async throws -> EntryMetadata? {
            try check(.metadata)
            return nil
        }
        func store(_ entry: DiskEntry, for key: CacheKey) async throws -> StoreOutcome { .stored }
        func renew(
            _ key: CacheKey, ifContentIs generation: ContentGeneration?,
            _ change: @escaping @Sendable (inout EntryMetadata) -> Void
        ) async throws -> StoreOutcome? { nil }
        func remove(_ key: CacheKey) async throws { try check(.removal) }
        func removeAll() async throws { try check(.removal) }
        func shutdown(within limit: Duration) async -> CacheShutdownReport {
            CacheShutdownReport(completedOperations: 0, abandonedOperations: 0)
        }
    }

    private static func request(_ parts: Parts) -> ImageRequest {
        var request = ImageRequest.numbered(1)
        // Its size and its bytes stay, so that the file of the original is asked for, too.
        if parts.seam == .transformer || parts.seam == .preparation { request.transformers = [parts] }
        switch parts.seam {
        case .loader: request.loader = Identified(identity: "mine", parts)
        case .modifier: request.modifier = RequestModifier(identity: "mine") { _ in throw parts.error }
        case .responseModifier: request.responseModifier = ResponseModifier(identity: "mine") { _ in throw parts.error }
        case .bodyTransformer: request.bodyTransformer = BodyTransformer(identity: "mine") { _, _ in throw parts.error }
        default: break
        }
        return request
    }

    private static func manager(_ parts: Parts, on executor: SeededExecutor) -> ImageManager {
        var configuration = ImageManager.Configuration.unchanged
        configuration.maximumInlinePixelCount = 0
        configuration.coders = ImageCoders(
            decoders: [parts] + configuration.coders.decoders, encoders: [parts] + configuration.coders.encoders)
        if parts.seam == .requestProcessor { configuration.hooks.requestProcessor = { _ in throw parts.error } }
        let isOwnLoader = parts.seam == .loader
        let transport: any HTTPLoading = isOwnLoader ? StubTransport(HTTPResponse.picture) : parts
        return .seeded(on: executor, transport, configuration) { $0.disk = parts }
    }

    @Test(arguments: Seam.allCases, Call.allCases)
    func `an error of a program's own part arrives as one error with the cause inside`(seam: Seam, call: Call) throws {
        let errors: [any Error] = [Mine(), URLError(.timedOut)]
        for (seed, error) in errors.enumerated() {
            let (executor, parts) = (SeededExecutor(seed: UInt64(seed)), Parts(seam, error))
            let manager = Self.manager(parts, on: executor)
            let request = Self.request(parts)
            let probe = Probe(on: executor) { try await call.run(manager, request) }
            executor.drain()
            guard seam.calls.contains(call) else {
                expect(probe.error == nil && !probe.isRunning, "\(String(describing: probe.error))")
                continue
            }
            let arrived = try required(probe.error as? ImageLoadError, "\(String(describing: probe.error))")
            expectEqual(arrived.code, seam.code)
            expectEqual(arrived.url, (call == .clear ? nil : request.url))
            expectEqual(arrived.cause.map { type(of: $0) == type(of: error) }, true, "\(arrived)")
            expectNil(manager.peek(request))
        }
    }
}
