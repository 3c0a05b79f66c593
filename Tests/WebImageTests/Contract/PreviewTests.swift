// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Pictures of a file that still arrives.
@Suite(.balanced, .timeLimit(.minutes(1))) struct PreviewTests {
    /// A load whose file arrives in as many parts as the test sends.
    private final class Scenario {
        let staged: StagedManager
        let parts: [[UInt8]]
        private let chunks: AsyncStream<[UInt8]>.Continuation
        private var sent = 0

        init(seed: UInt64, _ format: EncodedFormat = .jpeg(isProgressive: true), parts count: Int = 6) throws {
            let file = try ImageFactory.encoded(width: 96, height: 64, seed: 7, as: format)
            // The first part is the beginning of the header.
            let (start, length) = (100, (file.count - 100) / (count - 1) + 1)
            let rest = stride(from: start, to: file.count, by: length)
            parts = [Array(file[..<start])] + rest.map { Array(file[$0..<min($0 + length, file.count)]) }
            let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
            chunks = continuation
            staged = try StagedManager(seed: seed, hasDisk: false) { request in
                HTTPResponse(
                    status: 200, headers: ["Content-Type": "image/jpeg"], url: request.url,
                    body: HTTPBody(stream, expectedByteCount: file.count))
            }
        }

        /// Sends the next part of the file; after the last one, its end.
        func send(without stage: StagedManager.Stage? = nil) {
            chunks.yield(parts[sent])
            sent += 1
            if sent == parts.count { chunks.finish() }
            staged.run(without: stage)
        }

        func sendRest() { while sent < parts.count { send() } }

        /// Ends the transfer before the file is whole.
        func breakOff() {
            chunks.finish()
            staged.run(without: .pixels)
            staged.run()
        }

        func load(_ request: ImageRequest) -> (events: Journal<ImageEvent>, caller: Probe<Void>) {
            let events = Journal<ImageEvent>()
            let caller = staged.start { manager in
                for try await event in manager.events(for: request) { events.write(event) }
            }
            staged.run()
            return (events, caller)
        }
    }

    private static func request(interval: Duration = .zero, side: Int = 48) -> ImageRequest {
        var request = ImageRequest.numbered(1)
        request.previews = PreviewOptions(size: PixelSize(width: side, height: side), interval: interval)
        return request
    }

    private static func previews(_ events: Journal<ImageEvent>) -> [DecodedImage] {
        events.entries.compactMap { if case .preview(let image) = $0 { image } else { nil } }
    }

    @Test(arguments: [EncodedFormat.jpeg(isProgressive: true), .jpeg(), .png, .gif, .webp()], 0..<4 as Range<UInt64>)
    func `previews come while the file arrives, and none after the picture`(format: EncodedFormat, seed: UInt64) throws
    {
        let scenario = try Scenario(seed: seed, format)
        let (events, caller) = scenario.load(Self.request())
        scenario.sendRest()
        let previews = Self.previews(events)
        #expect(previews.count >= 3)
        expect(previews.allSatisfy { $0.width == 48 && $0.height == 32 })
        let (first, last) = (try required(previews.first), try required(previews.last))
        expect(!first.isSame(as: last))
        guard case .finished(let response)? = events.entries.last else { return #expect(Bool(false), "no picture") }
        expectEqual(response.image.width, 96)
        expect(caller.value != nil)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `one preview is made at a time, of the bytes that are there, for all callers`(seed: UInt64) throws {
        // One preview is made at a time, of the bytes that have arrived when it begins.
        do {
            let scenario = try Scenario(seed: seed)
            let (events, _) = scenario.load(Self.request())
            scenario.send()
            expectEmpty(Self.previews(events), "the first part is no picture yet")
            for _ in 0..<3 { scenario.send(without: .pixels) }
            expectEmpty(Self.previews(events))
            scenario.staged.run()
            expectEqual(Self.previews(events).count, 1)
            scenario.send()
            expectEqual(Self.previews(events).count, 2)
            scenario.sendRest()
        }

        // The callers of one transfer share each preview, also when they want different pictures.
        let scenario = try Scenario(seed: seed)
        var other = Self.request()
        other.transformers = [.resize(to: PixelSize(width: 10, height: 10))]
        let loads = [Self.request(), Self.request(), other].map { scenario.load($0) }
        for _ in 0..<4 { scenario.send() }
        let counts = loads.map { Self.previews($0.events).count }
        #expect(counts[0] >= 2)
        expectEqual(counts, Array(repeating: counts[0], count: 3))
        // The first part is no picture yet.
        #expect(scenario.staged.coder.decodes <= 4)
        scenario.sendRest()
        expect(loads.allSatisfy { $0.caller.value != nil })
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `a caller that comes later gets the newest preview with its first report`(seed: UInt64) throws {
        let scenario = try Scenario(seed: seed)
        let (first, _) = scenario.load(Self.request())
        for _ in 0..<3 { scenario.send() }
        let newest = try required(Self.previews(first).last)
        let (events, _) = scenario.load(Self.request())
        scenario.send()
        expectEqual(Self.previews(events).count, 2)
        expectEqual(Self.previews(events).first?.isSame(as: newest), true)
        scenario.sendRest()
    }

    @Test func `an interval longer than the transfer leaves time for one preview`() throws {
        for seed in 0..<10 as Range<UInt64> {
            let scenario = try Scenario(seed: seed)
            let (events, _) = scenario.load(Self.request(interval: .seconds(3_600)))
            scenario.sendRest()
            #expect(Self.previews(events).count <= 1)
        }
        let options = PreviewOptions(interval: .seconds(1))
        expectEqual(options.pause(after: .seconds(1), isPicture: true), .seconds(4))
        expectEqual(options.pause(after: .milliseconds(1), isPicture: true), .seconds(1))
        expectEqual(options.pause(after: .milliseconds(1), isPicture: false), .milliseconds(4))
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `without the option, or with a body that is transformed, no preview is made`(seed: UInt64) throws {
        // Without the option no preview is made.
        do {
            let scenario = try Scenario(seed: seed)
            let (events, _) = scenario.load(.numbered(1))
            scenario.sendRest()
            expectEmpty(Self.previews(events))
            expectEqual(scenario.staged.coder.decodes, 1)
        }

        // A body that a part of the program transforms has no previews.
        let scenario = try Scenario(seed: 1)
        var request = Self.request()
        request.bodyTransformer = BodyTransformer(identity: "same") { bytes, _ in bytes }
        let (events, caller) = scenario.load(request)
        scenario.sendRest()
        expectEmpty(Self.previews(events))
        expect(caller.value != nil)
    }

    @Test(arguments: [false, true], 0..<20 as Range<UInt64>)
    func `a preview in work ends with its transfer, and is shown to no caller`(isCancelled: Bool, seed: UInt64) throws {
        let scenario = try Scenario(seed: seed)
        let (events, caller) = scenario.load(Self.request())
        scenario.send()  // no picture yet
        for _ in 0..<2 { scenario.send(without: .pixels) }
        if isCancelled { caller.cancel() }
        scenario.breakOff()
        expectEmpty(Self.previews(events))
        expect(caller.value == nil || isCancelled)
        // The load itself looks at the part that has come, unless it is cancelled. The preview is not decoded any more.
        expectEqual(scenario.staged.coder.decodes, (isCancelled ? 0 : 1))
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `a file of several scans is read once for all previews, and its memory goes with the transfer`(
        seed: UInt64
    ) throws {
        let scenario = try Scenario(seed: seed)
        var request = Self.request()
        request.coders = Identified(identity: "plain", .default)
        let (events, caller) = scenario.load(request)
        for _ in 0..<4 { scenario.send() }
        #expect(Self.previews(events).count >= 2)
        let processing = scenario.staged.manager.pipeline.processing
        // The coefficients, between two previews.
        #expect(processing.queue.byteCount > 96 * 64 * 2)
        if seed.isMultiple(of: 2) {
            scenario.breakOff()
        } else {
            scenario.sendRest()
            expect(caller.value != nil)
        }
        expectEqual(processing.queue.byteCount, 0)
    }

    @Test func `previews leave half of the memory to pictures that have come`() async throws {
        let file = try ImageFactory.encoded(width: 96, height: 64, seed: 7, as: .jpeg(isProgressive: true))
        let box = PixelSize(width: 48, height: 32)
        let options = DecodeOptions(firstFrameOnly: true, thumbnail: .resize(to: box), failOn: .never)
        let body = ArrivingBody(expecting: file.count)
        let received = ReceivedBytes(body, count: body.append(Array(file.prefix(file.count / 2))))
        let previewer = try required(try ImageCoders.default.previewer(for: received.bytes, options: options))
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        configuration.maximumProcessingByteCount = 2 * previewer.byteCount
        let manager = ImageManager(configuration: configuration, transport: StubTransport(HTTPResponse.picture))
        let (processing, sessions) = (manager.pipeline.processing, (0..<3).map { _ in PreviewSession() })
        for session in sessions {
            // What there is no memory for may be decoded anew, and a part of a file may be no picture.
            _ = try? await processing.preview(of: received, in: box, for: .numbered(1), session)
            expectEqual(processing.queue.byteCount, previewer.byteCount)
        }
        withExtendedLifetime(sessions) {}
        _ = await manager.shutdown(within: .zero)
    }
}
