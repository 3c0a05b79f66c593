// SPDX-License-Identifier: MIT
public import HTTPTransport
public import ImageCoding

extension ResponseDecoder where Value == DecodedImage {
    /// The picture of a response, for a program that uses a client alone.
    ///
    /// The type must be one of pictures; the bytes decide which coder reads them. An ``ImageManager`` also shares
    /// downloads, keeps pictures, bounds the memory of all decodes, and decodes on threads of its own: here the task of
    /// the caller decodes and blocks its thread meanwhile.
    ///
    /// ```swift
    /// let picture = try await client.value(for: HTTPRequest(url: url), as: .image())
    /// ```
    ///
    /// **Cancellation**: checked between rows and frames; `value(for:as:upTo:)` then throws `CancellationError`.
    /// - Parameters:
    ///   - options: Limits, and the requested frames and size.
    ///   - coders: The decoders, tried in order.
    /// - Throws: `HTTPError` with code `.undecodableBody` and, for its cause, an `ImageError`.
    public static func image(
        _ options: DecodeOptions = DecodeOptions(), with coders: ImageCoders = .default
    ) -> ResponseDecoder {
        ResponseDecoder(types: .images) { try coders.decode($0.bytes, options: options) }
    }
}
