// SPDX-License-Identifier: MIT
import CTransportShims
import Locks
import PlatformBasics

/// Decodes a gzip body in the task of its reader, as far as the reader reads.
///
/// libcurl would decode on the event loop, ahead of the reader, and without an error for a truncated stream. Here the
/// encoded bytes wait, with the same limit as any other body.
/// - Source: RFC 1952.
final class GzipDecoder: Sendable {
    private struct State {
        let inflater: Inflater?
        /// The encoded bytes that wait.
        var rest: ArraySlice<UInt8> = []
        var wireCount = 0
        var decodedCount = 0
        /// Whether the last member ended with the last byte. The body may end only here.
        var isBetweenMembers = true
    }

    private static let largestChunk = 128 << 10
    /// The number of decoded bytes below which the ratio is not checked.
    private static let floor = 1 << 20

    private let state: Mutex<State>
    /// The largest number of decoded bytes.
    private let limit: Int
    /// The largest number of decoded bytes for each encoded byte, once there are ``floor`` decoded ones.
    private let ratio: Int
    private let url: URL
    private let status: Int

    /// - Parameters:
    ///   - url: Where the body comes from, for errors.
    ///   - status: The status of its head, for errors.
    init(_ configuration: HTTPClient.Configuration, url: URL, status: Int) {
        limit = configuration.maximumBodyByteCount
        ratio = configuration.maximumCompressionRatio
        self.url = url
        self.status = status
        state = Mutex(State(inflater: Inflater()))
    }

    /// Adds encoded bytes.
    func feed(_ bytes: [UInt8]) {
        state.withLock { $0.rest = $0.rest.isEmpty ? bytes[...] : $0.rest + bytes }
    }

    /// The next decoded bytes, or `nil` when more encoded bytes are needed.
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
                    throw error(.invalidResponse, "The body is labelled as gzip and is not gzip data.")
                }
                try check(state)
                if !step.bytes.isEmpty { return step.bytes }
            }
            return nil
        }
    }

    /// Notes the end of the encoded bytes.
    /// - Throws: `.truncatedBody` when the gzip stream has not ended.
    func finish() throws(HTTPError) {
        guard state.withLock({ $0.isBetweenMembers }) else {
            throw error(.truncatedBody, "The compressed body ended before the end of its gzip stream.")
        }
    }

    private func error(_ code: HTTPError.Code, _ message: String) -> HTTPError {
        HTTPError(code: code, message: message, url: url, status: status)
    }

    private func check(_ state: State) throws(HTTPError) {
        guard state.decodedCount <= limit else {
            throw .bodyTooLarge(limit: limit, announced: nil).at(url, status)
        }
        guard state.decodedCount <= Self.floor || state.decodedCount / max(1, ratio) <= state.wireCount else {
            throw error(
                .compressionRatioExceeded,
                "\(state.wireCount) bytes became \(state.decodedCount), beyond the ratio of \(ratio); "
                    + "raise the ratio if such bodies are expected.")
        }
    }
}

/// zlib's state of a gzip stream.
///
/// The state of one decoder owns it, under its lock.
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
        // Limited, because zlib counts in 32 bits.
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
