// SPDX-License-Identifier: MIT
import Foundation
import ImageCoding
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Pictures that the program makes.
@Suite(.balanced, .timeLimit(.minutes(1))) struct OwnPictureTests {
    private static let seeds = Seeds.first(20)
    private static let resize = ResizeTransformer(size: PixelSize(width: 8, height: 8))

    private static func request(
        _ runs: Journal<String>, id: String = "chart ä/1", _ transformers: [any ImageTransforming] = []
    ) -> ImageRequest {
        ImageRequest(id: id, transformers: transformers) {
            runs.write(id)
            return ImageFactory.picture(width: 16, height: 16, seed: 5)
        }
    }

    @Test(arguments: Self.seeds)
    func `a picture of the program is made once for loads that run at once, and memory keeps it`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed)
        let runs = Journal<String>()
        let request = Self.request(runs)
        expectEqual(request.url.absoluteString, "picture:/chart%20%C3%A4%2F1")
        let callers = [staged.load(request), staged.load(Self.request(runs))]
        staged.run()
        for caller in callers {
            expectEqual(caller.value.flatMap { ImageFactory.seed(of: $0.image) }, 5)
        }
        expect(callers.contains { $0.value?.source == .program })
        expectEqual(runs.entries.count, 1)
        expect(staged.manager.peek(request) != nil)
        let small = staged.loadInTurn(Self.request(runs, [Self.resize]))
        expectEqual(small.value?.image.width, 8)
        expectEqual(small.value?.source, .memory)
        expectEqual(runs.entries.count, 1)
        staged.loadInTurn(Self.request(runs, id: "another"))
        expectEqual(runs.entries.count, 2)
        expectEqual(staged.transport.requests.count, 0)
        expectEqual(staged.fileCount, 0)
    }

    @Test func `a file of it is encoded, as PNG where the original is asked for, and the disk keeps it if asked`()
        throws
    {
        let staged = try StagedManager(seed: 1)
        let runs = Journal<String>()
        var request = Self.request(runs)
        expectEqual(staged.dataInTurn(request, as: .original).value?.format, .png)
        expectEqual(staged.dataInTurn(request, as: .jpeg()).value?.format, .jpeg)
        expectEqual(staged.fileCount, 0)
        request = Self.request(runs, id: "kept", [Self.resize])
        (request.cacheReads, request.cacheWrites) = (.disk, .disk)
        for source in [ImageSource.program, .disk] {
            let file = staged.dataInTurn(request, as: .png)
            expectEqual(file.value?.source, source)
            expectEqual(file.value?.width, 8)
        }
        expectEqual(runs.entries.count { $0 == "kept" }, 1)
    }

    @Test func `its error arrives with the cause inside, and nothing runs for a load from the caches alone`() throws {
        struct Mine: Error {}
        let scenario = ManagerScenario(seed: 1)
        let failing = ImageRequest(id: "x") { throw Mine() }
        let error = scenario.loadInTurn(failing).error as? ImageLoadError
        expectEqual(error?.code, .hookFailed)
        expect(error?.cause is Mine)
        let runs = Journal<String>()
        var cached = Self.request(runs)
        cached.cachePolicy = .onlyIfCached
        expectEqual((scenario.loadInTurn(cached).error as? ImageLoadError)?.code, .notInCache)
        expectEqual(runs.entries, [])
    }
}

/// What an earlier load has made of [A, B] serves [A, B, C].
@Suite(.balanced, .timeLimit(.minutes(1))) struct BeginningTests {
    private static let seeds = Seeds.first(20)

    private static func request(_ runs: Journal<String>, _ names: String...) -> ImageRequest {
        let steps = names.map { name in
            CustomTransformer(key: name) { image in
                runs.write(name)
                return image
            }
        }
        return .numbered(1, transformers: steps)
    }

    @Test(arguments: Self.seeds)
    func `the longest beginning in memory is used, and only the rest runs`(seed: UInt64) {
        let scenario = ManagerScenario(seed: seed)
        let runs = Journal<String>()
        for names in [Self.request(runs, "a"), Self.request(runs, "a", "b"), Self.request(runs, "a", "b", "c")] {
            expect(scenario.loadInTurn(names).value != nil)
        }
        expectEqual(runs.entries, ["a", "b", "c"])
        // A different beginning is none.
        expect(scenario.loadInTurn(Self.request(runs, "b", "c")).value != nil)
        expectEqual(runs.entries, ["a", "b", "c", "b", "c"])
        expectEqual(scenario.transport.requests.count, 1)
    }

    @Test(arguments: Self.seeds)
    func `a stored beginning is used where no original is stored, and a stored original goes first`(
        seed: UInt64
    ) throws {
        for keepsOriginals in [false, true] {
            let staged = try StagedManager(seed: seed)
            let runs = Journal<String>()
            func load(_ request: ImageRequest) -> ImageResponse? {
                var request = request
                (request.cacheReads, request.cacheWrites) = (.disk, .disk)
                if !keepsOriginals { request.cacheWrites.original = [] }
                return staged.loadInTurn(request).value
            }
            expect(load(Self.request(runs, "a", "b")) != nil)
            let image = load(Self.request(runs, "a", "b", "c"))
            expectEqual(image?.source, .disk)
            expectEqual(image.flatMap { ImageFactory.seed(of: $0.image) }, 1)
            expectEqual(runs.entries, keepsOriginals ? ["a", "b", "a", "b", "c"] : ["a", "b", "c"])
            expectEqual(staged.transport.requests.count, 1)
        }
    }
}
