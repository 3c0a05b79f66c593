import CTransportShims
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Undoes the gzip coding of a body in the task of its reader, as far as the reader goes.
///
/// libcurl could decode, but on the event loop, faster than the reader reads, and without a word about a stream that
/// breaks off. Here what waits are the bytes of the wire, which are limited like those of any other body.
/// - Source: RFC 1952.
final class GzipDecoder: Sendable {
    /// What a decoded body may be.
    struct Limits {
        /// Most decoded bytes.
        var byteCount: Int
        /// Most decoded bytes for each byte on the wire, once there are ``floor`` of them.
        var ratio: Int

        /// Decoded bytes that are too few to be a bomb.
        static let floor = 1 << 20
    }

    private struct State {
        let inflater: Inflater?
        /// Bytes of the wire that wait.
        var rest: ArraySlice<UInt8> = []
        var wireCount = 0
        var decodedCount = 0
        /// Whether the last member ended with the last byte: here, and nowhere else, the body may end.
        var isBetweenMembers = true
    }

    private static let largestChunk = 128 << 10

    private let state: Mutex<State>
    private let limits: Limits
    private let url: URL
    private let status: Int

    /// - Parameters:
    ///   - url: Where the body comes from, for errors.
    ///   - status: The status of its head, for errors.
    init(_ limits: Limits, url: URL, status: Int) {
        self.limits = limits
        self.url = url
        self.status = status
        state = Mutex(State(inflater: Inflater()))
    }

    /// Adds bytes of the wire.
    func feed(_ bytes: [UInt8]) {
        state.withLock { $0.rest = $0.rest.isEmpty ? bytes[...] : $0.rest + bytes }
    }

    /// The next decoded bytes, or `nil` when more bytes of the wire are needed first.
    func next() throws(HTTPError) -> [UInt8]? {
        try state.withLock { state throws(HTTPError) in
            guard let inflater = state.inflater else {
                throw error(.transferFailed, "There is no memory left to decode the body.")
            }
            while !state.rest.isEmpty {
                let capacity = min(Self.largestChunk, max(16 << 10, 4 * state.rest.count))
                let step = inflater.decode(state.rest, capacity: capacity)
                state.rest = state.rest.dropFirst(step.consumed)
                state.wireCount += step.consumed
                state.decodedCount += step.bytes.count
                state.isBetweenMembers = step.outcome == TRANSPORT_INFLATION_MEMBER_ENDED
                let isStuck = step.consumed == 0 && step.bytes.isEmpty
                guard step.outcome != TRANSPORT_INFLATION_FAILED, !isStuck else {
                    throw error(.invalidResponse, "The body is said to be gzip and is not.")
                }
                try check(state)
                if !step.bytes.isEmpty { return step.bytes }
            }
            return nil
        }
    }

    /// The wire has ended.
    /// - Throws: `.truncatedBody` when the stream has not.
    func finish() throws(HTTPError) {
        guard state.withLock({ $0.isBetweenMembers }) else {
            throw error(.truncatedBody, "The compressed body ended before the end of its gzip stream.")
        }
    }

    private func error(_ code: HTTPError.Code, _ message: String) -> HTTPError {
        HTTPError(code: code, message: message, url: url, status: status)
    }

    private func check(_ state: State) throws(HTTPError) {
        guard state.decodedCount <= limits.byteCount else {
            throw .bodyTooLarge(limit: limits.byteCount, announced: nil).at(url, status)
        }
        guard state.decodedCount <= Limits.floor || state.decodedCount / max(1, limits.ratio) <= state.wireCount else {
            throw error(
                .compressionRatioExceeded,
                "\(state.wireCount) bytes became \(state.decodedCount), beyond the ratio of \(limits.ratio); "
                    + "raise the ratio if such bodies are expected.")
        }
    }
}

/// zlib's side of a gzip stream.
///
/// Owned by the state of one decoder, behind its lock.
@safe private final class Inflater {
    private let pointer: OpaquePointer

    /// - Returns: `nil` when there is no memory.
    init?() {
        guard let pointer = unsafe transport_inflater_create() else { return nil }
        unsafe self.pointer = unsafe pointer
    }

    deinit {
        unsafe transport_inflater_destroy(pointer)
    }

    func decode(
        _ input: ArraySlice<UInt8>, capacity: Int
    ) -> (bytes: [UInt8], consumed: Int, outcome: transport_inflation) {
        // A whole number of pieces for zlib, which counts in 32 bits.
        var consumed = min(input.count, 1 << 30)
        var outcome = TRANSPORT_INFLATION_FAILED
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { space, count in
            count = capacity
            unsafe input.withUnsafeBufferPointer {
                outcome = unsafe transport_inflate(pointer, $0.baseAddress, &consumed, space.baseAddress, &count)
            }
        }
        return (bytes, consumed, outcome)
    }
}
