// SPDX-License-Identifier: MIT
import CBenchBaselines
import HTTPTransport
import ImageCoding
import WebImage

extension Family {
    static let variants = variants("variants", of: "12 megapixels", Photograph.twelveMegapixels)
    /// For programs that count instructions.
    static let smallVariants = variants(
        "variants-2mp", of: "2 megapixels", isOnRequest: true, Photograph.twoMegapixels)

    private static func variants(
        _ name: String, of size: String, isOnRequest: Bool = false,
        _ photograph: @escaping @Sendable () throws -> [UInt8]
    ) -> Family {
        Family(
            name: name,
            summary: "ten sizes of one JPEG of \(size) at once, from network, disk and memory, against one decode and"
                + " ten resizes by hand",
            isOnRequest: isOnRequest
        ) { effort, show in
            let file = try photograph()
            let (origin, folder) = (try Origin(["/": file]), try ScratchFolder())
            defer {
                origin.stop()
                folder.remove()
            }
            var original = ImageRequest(try origin.url("/picture.jpeg"))
            // So that no picture is found the next time, and the original is.
            original.cacheWrites = CacheAccess(original: .all, variant: [], file: [])
            let requests = original.resized(to: sides)
            original.waitsForStores = true
            let onDisk = ImageManager(configuration: .with(folder.path("")))
            let inMemory = ImageManager(configuration: .with(nil))
            for manager in [onDisk, inMemory] { blackHole(try await manager.image(for: original)) }
            original.cachePolicy = .onlyIfCached
            let stored = original.resized(to: sides)
            let figures = try await measure(
                effort,
                Contender("network") { count in
                    for _ in 0..<count { try await withManager { try await $0.loadAtOnce(requests) } }
                },
                Contender("disk") { count in
                    for _ in 0..<count { try await onDisk.loadAtOnce(stored) }
                },
                Contender("memory") { count in
                    for _ in 0..<count { try await inMemory.loadAtOnce(stored) }
                },
                .byHand(file))
            for manager in [onDisk, inMemory] { _ = await manager.shutdown(within: .seconds(1)) }
            for figure in figures.dropLast() {
                show(Row("\(name)/\(figure.name)", figure, against: figures[3], by: .cpu, atMost: 1.5))
            }
        }
    }

    static let spread = Family(
        name: "spread",
        summary:
            "ten sizes of one JPEG of 12 megapixels, asked for 5 ms apart, against one decode and ten resizes by hand"
    ) { effort, show in
        let file = try Photograph.twelveMegapixels()
        let mixed = [300, 1_000, 100, 700, 500, 200, 900, 400, 800, 600]
        for (name, sides) in [("ascending", sides), ("descending", sides.reversed()), ("mixed", mixed)] {
            let requests = try ImageRequest.numbered(1)[0].resized(to: sides)
            let figures = try await measure(
                effort,
                Contender("ImageManager", count: 1) { _ in
                    try await withManager(WarmTransport(body: file)) { manager in
                        try await atOnce(requests.count) { place in
                            try await Task.sleep(for: .milliseconds(5 * place))
                            blackHole(try await manager.image(for: requests[place]))
                        }
                    }
                },
                .byHand(file))
            show(Row("spread-5ms/\(name), no disk", figures[0], against: figures[1], by: .cpu, atMost: 2))
        }
    }

    static let prefix = Family(
        name: "prefix",
        summary: "[A], [A, B], [A, C], ten in all, of one JPEG of 12 megapixels at once, against A, B, C… once by hand"
    ) { effort, show in
        let file = try Photograph.twelveMegapixels()
        let crop: any ImageTransforming = .crop(to: PixelRect(x: 0, y: 0, width: 2_000, height: 2_000))
        let chains = [[crop]] + sides.dropLast().map { [crop, .resize(to: PixelSize(width: $0, height: $0))] }
        let requests = try chains.map { try ImageRequest.numbered(1)[0].transformed(by: $0) }
        let figures = try await measure(
            effort,
            Contender("ImageManager") { count in
                for _ in 0..<count {
                    try await withManager(WarmTransport(body: file)) { try await $0.loadAtOnce(requests) }
                }
            },
            Contender("by hand") { count in
                for _ in 0..<count {
                    let cropped = try crop.transform(ImageCoders.default.decode(file))
                    for chain in chains.dropFirst() { blackHole(try chain[1].transform(cropped)) }
                }
            })
        show(Row("prefix-10, no disk", figures[0], against: figures[1], by: .cpu, atMost: 1.2))
    }

    static let leave = Family(
        name: "leave",
        summary:
            "a blur, a thumbnail and a grey picture of one JPEG of 2 megapixels at once, of which the blur's caller"
            + " leaves in the middle of its step, against the same where it stays"
    ) { effort, show in
        let file = try Photograph.twoMegapixels()
        let request = try ImageRequest.numbered(1)[0]
        let requests = [.blur(sigma: 40), .resize(to: PixelSize(width: 300, height: 300)), .grayscale]
            .map { (transformer: any ImageTransforming) in request.transformed(by: [transformer]) }
        @Sendable func load(leavingAfter moment: Duration?) async throws {
            try await withManager(WarmTransport(body: file)) { manager in
                // Unstructured because one is cancelled alone; all are awaited here.
                let loads = requests.map { request in
                    Task { @concurrent in blackHole(try await manager.image(for: request)) }
                }
                if let moment {
                    try await Task.sleep(for: moment)
                    loads[0].cancel()
                }
                for load in loads.dropFirst() { try await load.value }
                _ = await loads[0].result
            }
        }
        var wholes: [Double] = []
        for _ in 0..<3 where effort.alone == nil {
            let start = bench_wall_seconds()
            try await load(leavingAfter: nil)
            wholes.append(bench_wall_seconds() - start)
        }
        // The blur is nearly all of it.
        let half = Duration.seconds((wholes.min() ?? 0) / 2)
        let figures = try await measure(
            effort,
            Contender("the caller leaves", count: 1) { _ in try await load(leavingAfter: half) },
            Contender("the same where it stays", count: 1) { _ in try await load(leavingAfter: nil) })
        show(Row("leave-1-of-3, no disk", figures[0], against: figures[1], by: .cpu, atMost: 0.7))
    }
}

private let sides = (1...10).map { $0 * 100 }

/// Runs `body` with a manager of its own, without a disk cache.
private func withManager(
    _ transport: (any HTTPLoading)? = nil, _ body: (ImageManager) async throws -> Void
) async throws {
    let manager =
        transport.map { ImageManager(configuration: .with(nil), transport: $0) }
        ?? ImageManager(configuration: .with(nil))
    try await body(manager)
    _ = await manager.shutdown(within: .seconds(1))
}

extension ImageManager {
    fileprivate func loadAtOnce(_ requests: [ImageRequest]) async throws {
        try await atOnce(requests.count) { blackHole(try await self.image(for: requests[$0])) }
    }
}

extension ImageRequest {
    fileprivate func transformed(by transformers: [any ImageTransforming]) -> ImageRequest {
        var request = self
        request.transformers = transformers
        return request
    }

    fileprivate func resized(to sides: [Int]) -> [ImageRequest] {
        sides.map { transformed(by: [.resize(to: PixelSize(width: $0, height: $0))]) }
    }
}

extension Contender {
    /// One decode for the largest size, and a resize for each.
    fileprivate static func byHand(_ file: [UInt8]) -> Contender {
        Contender("by hand") { count in
            for _ in 0..<count {
                let box = PixelSize(width: 1_000, height: 1_000)
                let largest = try ImageCoders.default.decode(file, options: DecodeOptions(thumbnail: .resize(to: box)))
                for side in sides {
                    let resize: any ImageTransforming = .resize(to: PixelSize(width: side, height: side))
                    blackHole(try resize.transform(largest))
                }
            }
        }
    }
}
