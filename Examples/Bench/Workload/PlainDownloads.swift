// SPDX-License-Identifier: MIT
import CBenchBaselines
import Foundation

/// Downloads by libcurl in C on one thread, with warm connections where the server keeps them.
///
/// Safe: the handle is private, made in `init`, freed in `deinit` and never passed on.
@safe final class PlainDownloads {
    private let downloader: OpaquePointer

    /// - Parameter authority: The PEM file of the trusted authority; `nil` without TLS.
    init(_ url: URL, concurrency: Int, authority: String? = nil, usesHTTP2: Bool = false) throws {
        let made = unsafe authority.withOptionalCString { authority in
            let options = unsafe bench_download_options(
                concurrency: Int32(concurrency), uses_http2: usesHTTP2, authority: authority)
            return unsafe bench_downloader_make(url.absoluteString, options)
        }
        guard let downloader = unsafe made else { throw Failure("could not set up libcurl") }
        unsafe self.downloader = unsafe downloader
    }

    deinit { unsafe bench_downloader_free(downloader) }

    /// Downloads files of a size.
    func run(_ count: Int, size: Int) throws {
        try check(unsafe bench_downloader_run(downloader, count, size) == 0)
    }

    /// Begins as many downloads as go at once, and returns when each has so many bytes.
    func begin(size: Int) throws {
        try check(unsafe bench_downloader_begin(downloader, size))
    }
}

extension String? {
    /// Calls the closure with a C string, or with `nil` for none.
    fileprivate func withOptionalCString<Value>(_ body: (UnsafePointer<CChar>?) -> Value) -> Value {
        guard let self else { return body(nil) }
        return unsafe self.withCString { unsafe body($0) }
    }
}
