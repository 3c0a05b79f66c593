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
    @Test(arguments: [EncodedFormat.jpeg(isProgressive: true), .jpeg(), .png, .gif, .webp()], 0..<4 as Range<UInt64>)
    func `previews come while the file arrives, and none after the picture`(format: EncodedFormat, seed: UInt64) throws
    {
        let scenario = try PreviewScenario(seed: seed, format)
        let (events, caller) = scenario.load(PreviewScenario.request())
        scenario.sendRest()
        let previews = PreviewScenario.previews(events)
        expect(previews.count, >=, 3)
        expect(previews.allSatisfy { $0.width == 48 && $0.height == 32 })
        let (first, last) = (try required(previews.first), try required(previews.last))
        expect(!first.isSame(as: last))
        guard case .finished(let response)? = events.entries.last else { return expect(Bool(false), "no picture") }
        expectEqual(response.image.width, 96)
        expect(caller.value != nil)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `one preview is made at a time, of the bytes that are there, for all callers`(seed: UInt64) throws {
        // One preview is made at a time, of the bytes that have arrived when it begins.
        do {
            let scenario = try PreviewScenario(seed: seed)
            let (events, _) = scenario.load(PreviewScenario.request())
            scenario.send()
            expectEmpty(PreviewScenario.previews(events), "the first part is no picture yet")
            for _ in 0..<3 { scenario.send(without: .pixels) }
            expectEmpty(PreviewScenario.previews(events))
            scenario.staged.run()
            expectEqual(PreviewScenario.previews(events).count, 1)
            scenario.send()
            expectEqual(PreviewScenario.previews(events).count, 2)
            scenario.sendRest()
        }

        // The callers of one transfer share each preview, also when they want different pictures.
        let scenario = try PreviewScenario(seed: seed)
        var other = PreviewScenario.request()
        other.transformers = [.resize(to: PixelSize(width: 10, height: 10))]
        let loads = [PreviewScenario.request(), PreviewScenario.request(), other].map { scenario.load($0) }
        for _ in 0..<4 { scenario.send() }
        let counts = loads.map { PreviewScenario.previews($0.events).count }
        expect(counts[0], >=, 2)
        expectEqual(counts, Array(repeating: counts[0], count: 3))
        // The first part is no picture yet.
        expect(scenario.staged.coder.decodes, <=, 4)
        scenario.sendRest()
        expect(loads.allSatisfy { $0.caller.value != nil })
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `a caller that comes later gets the newest preview with its first report`(seed: UInt64) throws {
        let scenario = try PreviewScenario(seed: seed)
        let (first, _) = scenario.load(PreviewScenario.request())
        for _ in 0..<3 { scenario.send() }
        let newest = try required(PreviewScenario.previews(first).last)
        let (events, _) = scenario.load(PreviewScenario.request())
        scenario.send()
        expectEqual(PreviewScenario.previews(events).count, 2)
        expectEqual(PreviewScenario.previews(events).first?.isSame(as: newest), true)
        scenario.sendRest()
    }

    @Test func `an interval longer than the transfer leaves time for one preview`() throws {
        for seed in 0..<10 as Range<UInt64> {
            let scenario = try PreviewScenario(seed: seed)
            let (events, _) = scenario.load(PreviewScenario.request(interval: .seconds(3_600)))
            scenario.sendRest()
            expect(PreviewScenario.previews(events).count, <=, 1)
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
            let scenario = try PreviewScenario(seed: seed)
            let (events, _) = scenario.load(.numbered(1))
            scenario.sendRest()
            expectEmpty(PreviewScenario.previews(events))
            expectEqual(scenario.staged.coder.decodes, 1)
        }

        // A body that a part of the program transforms has no previews.
        let scenario = try PreviewScenario(seed: 1)
        var request = PreviewScenario.request()
        request.bodyTransformer = BodyTransformer(identity: "same") { bytes, _ in bytes }
        let (events, caller) = scenario.load(request)
        scenario.sendRest()
        expectEmpty(PreviewScenario.previews(events))
        expect(caller.value != nil)
    }

    @Test(arguments: [false, true], 0..<20 as Range<UInt64>)
    func `a preview in work ends with its transfer, and is shown to no caller`(isCancelled: Bool, seed: UInt64) throws {
        let scenario = try PreviewScenario(seed: seed)
        let (events, caller) = scenario.load(PreviewScenario.request())
        scenario.send()  // no picture yet
        for _ in 0..<2 { scenario.send(without: .pixels) }
        if isCancelled { caller.cancel() }
        scenario.breakOff()
        expectEmpty(PreviewScenario.previews(events))
        expect(caller.value == nil || isCancelled)
        // The load itself looks at the part that has come, unless it is cancelled. The preview is not decoded any more.
        expectEqual(scenario.staged.coder.decodes, (isCancelled ? 0 : 1))
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `a file of several scans is read once for all previews, and its memory goes with the transfer`(
        seed: UInt64
    ) throws {
        let scenario = try PreviewScenario(seed: seed)
        var request = PreviewScenario.request()
        request.coders = Identified(identity: "plain", .default)
        let (events, caller) = scenario.load(request)
        for _ in 0..<4 { scenario.send() }
        expect(PreviewScenario.previews(events).count, >=, 2)
        let processing = scenario.staged.manager.pipeline.processing
        // The coefficients, between two previews.
        expect(processing.queue.byteCount, >, 96 * 64 * 2)
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
            _ = try? await processing.preview(of: received, PreviewOptions(size: box), for: .numbered(1), session)
            expectEqual(processing.queue.byteCount, previewer.byteCount)
        }
        withExtendedLifetime(sessions) {}
        _ = await manager.shutdown(within: .zero)
    }
}
