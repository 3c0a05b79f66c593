// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import Locks
import WebImage

extension Family {
    static let memoryPeek = Family(
        name: "memory-peek", summary: "a synchronous look into memory, against a dictionary behind a mutex"
    ) { effort, show in
        let memory = try await WarmMemory()
        let manager = memory.manager
        let requests = memory.requests
        let figures = try await measure(
            effort,
            Contender("peek") { count in
                for turn in 0..<count { blackHole(manager.peek(requests[turn % requests.count])) }
            },
            memory.dictionary)
        show(Row("memory-peek", figures[0], against: figures[1], by: .cpu, atMost: 1.5))
        await memory.shutdown()
    }

    static let memoryHit = Family(
        name: "memory-hit", summary: "image(for:) of a picture in memory, against a dictionary behind a mutex"
    ) { effort, show in
        let memory = try await WarmMemory()
        let manager = memory.manager
        let requests = memory.requests
        let figures = try await measure(
            effort,
            Contender("image(for:)") { count in
                for turn in 0..<count { blackHole(try await manager.image(for: requests[turn % requests.count])) }
            },
            memory.dictionary)
        show(Row("memory-hit", figures[0], against: figures[1], by: .cpu, atMost: 2))
        await memory.shutdown()
    }
}

/// A manager with a thousand pictures in memory, and a plain dictionary with the same.
private struct WarmMemory {
    let manager: ImageManager
    let requests: [ImageRequest]
    let pictures: Pictures

    final class Pictures: Sendable {
        private let table: Mutex<[String: DecodedImage]>

        init(_ pictures: [String: DecodedImage]) { table = Mutex(pictures) }

        func picture(_ name: String) -> DecodedImage? { table.withLock { $0[name] } }
    }

    init() async throws {
        let origin = try Origin(["/": Photograph.tiny()])
        defer { origin.stop() }
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        configuration.transport.addressPolicy = .unrestricted
        manager = ImageManager(configuration: configuration)
        requests = try (0..<1_000).map { ImageRequest(try origin.url("/picture/\($0).jpeg")) }
        var pictures: [String: DecodedImage] = [:]
        for request in requests { pictures[request.url.absoluteString] = try await manager.image(for: request) }
        self.pictures = Pictures(pictures)
    }

    var dictionary: Contender {
        let names = requests.map(\.url.absoluteString)
        return Contender("Mutex<[String: DecodedImage]>") { [pictures] count in
            for turn in 0..<count { blackHole(pictures.picture(names[turn % names.count])) }
        }
    }

    func shutdown() async { _ = await manager.shutdown(within: .seconds(1)) }
}
