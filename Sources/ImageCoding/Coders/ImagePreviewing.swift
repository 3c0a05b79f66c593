// SPDX-License-Identifier: MIT
/// Decodes one file while it arrives, and reads each byte once.
///
/// Conform a decoder to ``ProgressiveDecoding`` where decoding the beginning anew for each preview costs too much.
public protocol ImagePreviewing: Sendable {
    /// The most bytes that it holds, between and during calls, and that a preview takes.
    var byteCount: Int { get }

    /// The picture of the bytes that have arrived.
    ///
    /// Blocks its thread. Calls come one at a time, from any thread.
    ///
    /// **Cancellation**: checked between rows; throws `CancellationError`, and a later call may go on.
    ///
    /// - Parameter bytes: The beginning of the file: the bytes of the call before, and more.
    /// - Returns: `nil` before there is a picture of all of the canvas.
    /// - Throws: ``ImageError``: there are no more previews; `CancellationError`.
    func preview(of bytes: [UInt8]) throws -> DecodedImage?
}

/// A decoder that can read a file while it arrives.
public protocol ProgressiveDecoding: ImageDecoding {
    /// Begins to read a file that still arrives.
    ///
    /// - Parameters:
    ///   - beginning: The bytes so far, with a whole header.
    ///   - options: Limits, and the size of the previews.
    /// - Returns: `nil` for a file whose beginning is as cheaply decoded anew.
    /// - Throws: ``ImageError`` for a file that cannot be read, or is beyond the limits.
    func previewer(for beginning: [UInt8], options: DecodeOptions) throws -> (any ImagePreviewing)?
}

extension ImageCoders {
    /// Begins to read a file that still arrives, if its decoder can.
    ///
    /// - Parameters:
    ///   - beginning: The bytes so far, with a whole header.
    ///   - options: Limits, and the size of the previews.
    /// - Returns: `nil` for a file whose beginning is as cheaply decoded anew.
    /// - Throws: ``ImageError`` for a file that cannot be read, or is beyond the limits.
    public func previewer(
        for beginning: [UInt8], options: DecodeOptions = DecodeOptions()
    ) throws -> (any ImagePreviewing)? {
        try options.check()
        let decoder = try decoder(for: beginning, options: options) as? any ProgressiveDecoding
        return try decoder?.previewer(for: beginning, options: options)
    }
}
