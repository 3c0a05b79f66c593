// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Flights of files, which wait for flights of pictures, which wait for transfers.
@Suite(.balanced, .timeLimit(.minutes(1))) struct FileFlightTests {
    @Test(arguments: seeds)
    func `callers of one picture or file share every stage, from the transfer to the write`(seed: UInt64) throws {
        // Callers of one file share every stage: one transfer, one decode, one encode, one write.
        let staged = try StagedManager(seed: seed)
        var callers: [Probe<EncodedImage>] = []
        for _ in 0..<5 {
            callers.append(staged.data(.numbered(7), as: .jpeg()))
            staged.runSome(upTo: 30)
        }
        staged.run()
        expect(Set(callers.map { $0.value?.bytes }).count == 1 && callers[0].value?.format == .jpeg)
        expectEqual([staged.transport.requests.count, staged.coder.decodes, staged.coder.encodes], [1, 1, 1])
        let stores = staged.start { await $0.diskCache?.statistics.stores }
        staged.run()
        expectEqual(stores.value, 2, "the original and the file, once each")
        expect(staged.isAtRest)

        // Loads of one picture share every stage, not the transfer alone.
        do {
            let staged = try StagedManager(seed: seed)
            let request = ImageRequest.numbered(7, transformers: [.resize(to: .init(width: 4, height: 4), mode: .fill)])
            var callers: [Probe<ImageResponse>] = []
            for _ in 0..<5 {
                callers.append(staged.load(request))
                staged.runSome(upTo: 30)
            }
            staged.run()
            expect(callers.allSatisfy { $0.value?.image.width == 4 })
            expectEqual([staged.transport.requests.count, staged.coder.decodes], [1, 1])
            expectEqual(staged.coder.encodes, 1, "the variant is encoded for the disk once")
        }

        // A plain download is written to disk once.
        do {
            let staged = try StagedManager(seed: seed)
            let caller = staged.loadInTurn(.numbered(1))
            let stores = staged.start { await $0.diskCache?.statistics.stores }
            staged.run()
            expectAll(caller.value != nil, stores.value == 1, staged.coder.encodes == 0)
        }

        // Different files of one picture share the transfer and the decode.
        do {
            let gate = Gate()
            let staged = try StagedManager(seed: seed, gate: gate)
            let callers = [staged.data(.numbered(7), as: .jpeg()), staged.data(.numbered(7), as: .png)]
            staged.run()
            staged.open(gate)
            expect(callers.allSatisfy { $0.value != nil })
            expectEqual([staged.transport.requests.count, staged.coder.decodes, staged.coder.encodes], [1, 1, 2])
        }
    }

    @Test(arguments: seeds)
    func `no priority is lost between the stages: a caller or a raise moves the download`(seed: UInt64) throws {
        // No priority is lost between the stages: an urgent caller moves the download at any time.
        var configuration = ImageManager.Configuration()
        configuration.downloader.maximumConcurrentDownloads = 1
        let gate = Gate()
        let staged = try StagedManager(seed: seed, gate: gate, hasDisk: false, configuration: configuration)
        var callers: [any Ended] = [staged.load(.numbered(0))]
        staged.run()
        for number in 1...3 {
            var request = ImageRequest.numbered(number)
            request.priority = .low
            callers.append(staged.data(request, as: .jpeg()))
            // The last caller becomes urgent while it joins the tables.
            if number < 3 { staged.run() } else { staged.runSome(upTo: 30) }
        }
        var urgent = ImageRequest.numbered(3)
        urgent.priority = .veryHigh
        callers.append(staged.data(urgent, as: .jpeg()))
        staged.run()
        staged.open(gate)
        expectEqual(staged.transport.requests.map(\.url.lastPathComponent), ["0.png", "3.png", "1.png", "2.png"])
        expectAll(callers.allSatisfy { $0.hasOneEnd }, staged.isAtRest)

        // A running file load can be made more urgent.
        do {
            var configuration = ImageManager.Configuration()
            configuration.downloader.maximumConcurrentDownloads = 1
            let gate = Gate()
            let staged = try StagedManager(seed: seed, gate: gate, hasDisk: false, configuration: configuration)
            for number in 0...3 {
                staged.dataInTurn(.numbered(number), as: .jpeg())
            }
            _ = staged.start { $0.raise(.numbered(3), as: .jpeg(), to: .veryHigh) }
            staged.run()
            staged.open(gate)
            expectEqual(staged.transport.requests.map(\.url.lastPathComponent), ["0.png", "3.png", "1.png", "2.png"])
        }
    }

    @Test(arguments: seeds)
    func `progress through nested flights never goes back, and a late caller gets the latest`(seed: UInt64) throws {
        // Progress through nested flights never goes back, and a late caller gets the latest.
        do {
            let gate = Gate()
            let staged = try StagedManager(seed: seed, hasDisk: false) { request in
                let bytes = try Pictures.png(7)
                let body = GatedBody(bytes, pieces: 9, free: 4, gate: gate)
                return HTTPResponse(status: 200, url: request.url, body: HTTPBody(body, expectedByteCount: bytes.count))
            }
            // Two files join one load, and two variants join one transfer, each at its own time.
            let kinds: [(ImageRequest, OutputFormat)] = [
                (.numbered(7), .jpeg()), (.numbered(7), .png), (.numbered(7), .original),
                (.numbered(7, transformers: [.resize(to: .init(width: 4, height: 4), mode: .fill)]), .png),
            ]
            var callers: [(Probe<EncodedImage>, Journal<Int>)] = []
            func call(_ kind: (ImageRequest, OutputFormat)) {
                let heard = Journal<Int>()
                let caller = staged.start { manager in
                    try await manager.encodedImage(for: kind.0, as: kind.1) { heard.write($0.receivedByteCount) }
                }
                callers.append((caller, heard))
            }
            for kind in kinds {
                call(kind)
                staged.runSome()
            }
            staged.run()
            let latest = callers[0].1.entries.max()
            for kind in kinds {
                call(kind)
                staged.run()
            }
            expectAll(latest != nil, callers.allSatisfy { $0.1.entries.last == latest })
            staged.open(gate)
            for (caller, heard) in callers {
                expect(caller.value != nil)
                expectEqual(heard.entries, Set(heard.entries).sorted(), "in order, and nothing twice")
            }
            expectEqual(staged.transport.requests.count, 1)
        }

        // A caller that joins in the middle of a transfer gets the progress in order.
        let staged = try StagedManager(seed: seed, hasDisk: false) { request in
            let bytes = try Pictures.png(7)
            let body = GatedBody(bytes, pieces: 40, free: .max, gate: Gate())
            return HTTPResponse(status: 200, url: request.url, body: HTTPBody(body, expectedByteCount: bytes.count))
        }
        let callers = (1...6).map { width in
            let box = PixelSize(width: width, height: width)
            let request = ImageRequest.numbered(7, transformers: [.resize(to: box, mode: .fill)])
            let heard = Journal<Int>()
            let caller = staged.start { manager in
                try await manager.encodedImage(for: request, as: .png) { heard.write($0.receivedByteCount) }
            }
            staged.runSome()
            return (caller, heard)
        }
        staged.run()
        for (caller, heard) in callers {
            expectAll(caller.value != nil, heard.entries == Set(heard.entries).sorted())
        }
    }
}
