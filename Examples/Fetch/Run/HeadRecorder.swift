// SPDX-License-Identifier: MIT
import HTTPLoaders
import HTTPTransport
import Locks
import PlatformBasics
import WebImage

/// Notes what origins answer, for the report: also of responses that carry no picture.
final class HeadRecorder: HTTPLoaderWrapping {
    let loader: any HTTPLoading
    private let answers = Mutex<[URL: Outcome.Answer]>([:])

    init(_ loader: any HTTPLoading) { self.loader = loader }

    /// The last answer to requests of this URL.
    func answer(to url: URL) -> Outcome.Answer? { answers.withLock { $0[url] } }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let response = try await loader.send(request)
        let answer = Outcome.Answer(status: response.status, contentType: response.headers["Content-Type"])
        answers.withLock { $0[request.url] = answer }
        return response
    }
}
