// SPDX-License-Identifier: MIT
import ImageCoding
import PlatformBasics
import Synchronization

/// What callers see of errors.
extension Pipeline {
    /// Throws the error for the caller, unless the caller must join again: a request that retries failures has joined
    /// the flight of one that does not, and got its remembered failure. Such a flight ends as soon as it has begun, so
    /// the retries end.
    @inline(never) func checkInsistence(_ request: ImageRequest, _ error: any Error) throws {
        if let error = error as? ImageLoadError, error.code == .recentlyFailed, request.retriesFailed { return }
        throw ImageLoadError.mapping(error, url: request.url)
    }

    @inline(never) func checkOpen(_ request: ImageRequest) throws {
        if !isOpen.load(ordering: .acquiring) { throw ImageLoadError.shutDown(request.url) }
    }

    /// Runs a transformer or an encoder, and adds the address of the picture to its error.
    func processed<T: Sendable>(_ request: ImageRequest, _ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as ImageError {
            throw ImageLoadError(
                code: .processingFailed, message: error.summary, advice: error.advice, url: request.url, cause: error)
        } catch {
            throw ImageLoadError.ofPart("transformer or encoder", error, request.url, .processingFailed)
        }
    }

    /// Asks a cache of the disk, which may be of the program's own.
    @discardableResult nonisolated(nonsending) static func asking<Value>(
        _ url: URL?, _ body: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        do { return try await body() } catch { throw ImageLoadError.mapping(error, url: url) }
    }
}
