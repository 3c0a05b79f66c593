// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import HTTPTransportXML
import Testing
import WebImageTesting

/// The example in the module's documentation, word for word.
@Suite(.timeLimit(.minutes(1))) struct XMLDocumentationTests {
    @Test func `titles of a feed`() async throws {
        let client = StubLoader()
        let document = "<feed><entry><title>A &amp; B</title></entry><entry/><entry><title>C</title></entry></feed>"
        client.respond(to: "/feed", with: .ok(Array(document.utf8), type: "application/atom+xml; charset=utf-8"))
        let url = try #require(URL(string: "http://a.example/feed"))

        let feed = try await client.value(for: HTTPRequest(url: url), as: .xml())
        let titles = feed.elements(named: "entry").compactMap { $0["title"]?.text }

        #expect(titles == ["A & B", "C"])
    }
}
