import Foundation
import HTTPTransport
import Testing

#if canImport(Glibc)
import Glibc

/// A process without descriptors, which is this one for a moment.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct DescriptorTests {
    @Test func `A process without descriptors says so, and recovers`() async throws {
        let client = HTTPClient(configuration: .loopback)
        // Its thread has its descriptors from now on.
        let nowhere = HTTPRequest(url: URL(string: "http://127.0.0.2:1/")!)
        let refused = await #expect(throws: HTTPError.self) { _ = try await client.send(nowhere) }
        #expect(refused?.code == .cannotConnect)
        let error = await #expect(throws: HTTPError.self) {
            try await Self.withoutDescriptors { _ = try await client.send(nowhere) }
        }
        #expect(error?.code == .tooManyOpenFiles)
        let origin = TestOrigin { $0.respond(body: [1]) }
        #expect(try await client.send(HTTPRequest(url: origin.url("/"))).body.collect(upTo: 1) == [1])
        origin.stop()
        await client.shutdown()
    }

    private static func withoutDescriptors(_ body: () async throws -> Void) async throws {
        let number = CInt(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        unsafe getrlimit(number, &limit)
        var none = limit
        none.rlim_cur = 0
        unsafe setrlimit(number, &none)
        // Whatever `body` does, the others go on with their descriptors.
        defer { unsafe setrlimit(number, &limit) }
        try await body()
    }
}
#endif
