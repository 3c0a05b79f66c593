// SPDX-License-Identifier: MIT
public import PlatformBasics
public import TaskCoordination

extension HeapSize {
    /// What a URL keeps: its text, and what Foundation knows about it.
    /// - Complexity: O(1) for a URL that is not relative to another one.
    public static func of(_ url: URL) -> Int { 320 + of(url.absoluteString) }

    /// What fields keep.
    /// - Complexity: O(`headers.count`).
    public static func of(_ headers: HTTPHeaders) -> Int {
        headers.fields.reduce(of(headers.fields)) { $0 + of($1.name) + of($1.value) }
    }

    /// What a request keeps, without a content that is not in memory.
    /// - Complexity: O(number of fields).
    public static func of(_ request: HTTPRequest) -> Int {
        of(request.url) + of(request.method) + of(request.headers) + (request.body.map { of($0) } ?? 0)
            + (request.hasOptions ? ofObject(HTTPRequest.Options.self) : 0)
    }
}
