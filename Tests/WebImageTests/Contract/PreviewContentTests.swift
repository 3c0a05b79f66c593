// SPDX-License-Identifier: MIT
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// What previews show, and which files have them.
@Suite(.balanced, .timeLimit(.minutes(1))) struct PreviewContentTests {
    private static func request(
        _ transformers: [any ImageTransforming], isTransformed: Bool = true,
        _ change: (inout ImageRequest) -> Void = { _ in }
    ) -> ImageRequest {
        var request = PreviewScenario.request()
        request.transformers = transformers
        request.previews?.isTransformed = isTransformed
        change(&request)
        return request
    }

    private static let crop = CropTransformer(PixelRect(x: 0, y: 0, width: 10, height: 8))

    /// The sizes of the previews of an arriving file.
    private func sizes(_ request: ImageRequest, _ file: [UInt8], seed: UInt64 = 1) throws -> Set<PixelSize> {
        let scenario = try PreviewScenario(seed: seed, file: file)
        let (events, caller) = scenario.load(request)
        scenario.sendRest()
        expect(caller.value != nil)
        return Set(PreviewScenario.previews(events).map(\.size))
    }

    @Test(arguments: [false, true], 0..<5 as Range<UInt64>)
    func `transformed previews look like the picture, and callers with other transformers have their own`(
        hasScans: Bool, seed: UInt64
    ) throws {
        let scenario = try PreviewScenario(seed: seed)
        let box = PixelSize(width: 24, height: 24)
        let transformers: [[any ImageTransforming]] = [[.resize(to: box, mode: .fill), .circle], [Self.crop], []]
        var requests = transformers.map { Self.request($0) }
        requests.append(Self.request(transformers[0], isTransformed: false))
        if hasScans {
            for index in requests.indices { requests[index].coders = Identified(identity: "plain", .default) }
        }
        let loads = requests.map { scenario.load($0) }
        scenario.sendRest()
        let sizes = [box, PixelSize(width: 10, height: 8), PixelSize(width: 96, height: 64)]
        for (load, size) in zip(loads, sizes + [PixelSize(width: 48, height: 32)]) {
            let previews = PreviewScenario.previews(load.events)
            expect(previews.count, >=, 2)
            expect(previews.allSatisfy { $0.size == size })
            expect(load.caller.value != nil)
        }
        // A corner of the circle.
        expect(PreviewScenario.previews(loads[0].events).allSatisfy { $0.hasAlpha && $0.pixels[3] == 0 })
    }

    @Test func `a preview of what may be an animation is transformed as the picture will be`() throws {
        let file = LongGIF.file(side: 60, frames: 12, patch: 20)
        let (whole, part) = (PixelSize(width: 60, height: 60), PixelSize(width: 10, height: 8))
        try expectEqual(sizes(Self.request([Self.crop]), file), [whole])
        try expectEqual(sizes(Self.request([.smartCrop(to: PixelSize(width: 20, height: 10))]), file), [whole])
        for allowsEnlarging in [false, true] {
            let box = PixelSize(width: allowsEnlarging ? 90 : 30, height: 90)
            let resize = ResizeTransformer.resize(to: box, allowsEnlarging: allowsEnlarging)
            try expectEqual(
                sizes(Self.request([resize, Self.crop]), file), [PixelSize(width: box.width, height: box.width)])
        }
        try expectEqual(sizes(Self.request([Self.crop]) { $0.transformsAnimations = true }, file), [part])
        try expectEqual(sizes(Self.request([Self.crop]) { $0.firstFrameOnly = true }, file), [part])
    }

    @Test func `transformed previews have the budget, the scale and the colours of the picture`() throws {
        var picture = ImageFactory.picture(width: 96, height: 64, seed: 1)
        picture.metadata = ImageMetadata(colorProfile: DecodeUseTests.profile)
        let file = try ImageCoders.default.encode(picture, as: EncodedFormat.png.keeping(.colorProfile))
        let half = PixelSize(width: 48, height: 32)
        let request = Self.request([]) {
            ($0.byteBudget, $0.scale, $0.keepsColors) = (half.bitmapByteCount, 2, true)
        }
        let scenario = try PreviewScenario(seed: 1, file: file)
        let (events, _) = scenario.load(request)
        scenario.sendRest()
        guard case .finished(let response)? = events.entries.last else { return expect(Bool(false), "no picture") }
        let previews = PreviewScenario.previews(events)
        expect(previews.count, >, 1)
        for image in previews + [response.image] {
            expectAll(image.size == half, image.scale == 2, image.metadata?.colorProfile == DecodeUseTests.profile)
        }
    }

    @Test func `each format has the previews that its options name`() throws {
        func count(_ format: EncodedFormat, _ contents: [ImageFormat: Set<PreviewContent>]) throws -> Int {
            let request = Self.request([], isTransformed: false) {
                $0.previews?.contents = contents
                $0.coders = Identified(identity: "plain", .default)
            }
            let scenario = try PreviewScenario(seed: 1, format)
            let (events, _) = scenario.load(request)
            for _ in 0..<4 { scenario.send() }
            let queue = scenario.staged.manager.pipeline.processing.queue
            // The coefficients, beside the newest preview.
            let hasScans = queue.byteCount > 96 * 64 * 2
            expectEqual(hasScans, format == .jpeg(isProgressive: true) && contents != [.jpeg: [.parts]])
            scenario.sendRest()
            return PreviewScenario.previews(events).count
        }
        let (progressive, baseline) = (EncodedFormat.jpeg(isProgressive: true), EncodedFormat.jpeg())
        try expectEqual(count(baseline, [.jpeg: [.scans]]), 0)
        try expect(count(progressive, [.jpeg: [.scans]]), >, 0)
        try expect(count(progressive, [.jpeg: [.parts]]), >, 1)
        try expectEqual(count(.png, [.png: []]), 0)
        try expect(count(baseline, [.png: []]), >, 1)
    }

    /// Takes more memory than there is.
    private struct HungryTransformer: ImageTransforming {
        let key = "hungry"
        func transform(_ image: DecodedImage) -> DecodedImage { image }
        func workingByteCount(for size: PixelSize) -> Int { .max }
    }

    /// Needs something first.
    private struct NeedyTransformer: PreparingTransformer {
        let key = "needy"
        func prepared(with loader: any ImageLoading) -> any ImageTransforming { PreviewContentTests.crop }
        func transform(_ image: DecodedImage) -> DecodedImage { image }
    }

    @Test func `a preview without memory for its transformers, or whose transformers need more, is not made`() throws {
        let scenario = try PreviewScenario(seed: 1)
        let loads = [HungryTransformer() as any ImageTransforming, NeedyTransformer()].map {
            scenario.load(Self.request([$0]))
        }
        for _ in 0..<4 { scenario.send() }
        expect(loads.allSatisfy { PreviewScenario.previews($0.events).isEmpty })
        // What must be prepared is not even decoded.
        expect(scenario.staged.coder.decodes, <=, 3)
        scenario.breakOff()
    }
}
