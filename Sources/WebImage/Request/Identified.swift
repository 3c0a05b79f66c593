// SPDX-License-Identifier: MIT
public import HTTPTransport
public import PlatformBasics

/// A part of a load that a program brings, and the name that stands for it.
///
/// Closures and objects cannot be compared, so the name is what counts: it is part of the request's identity and of the
/// keys of its pictures. Requests whose parts have equal names share transfers and pictures. So the name must differ
/// whenever the bytes or the pixels may differ: one name per tenant, one per key of a cipher. It is written to disk
/// with the key; do not put a secret into it.
public struct Identified<Part: Sendable>: Sendable {
    /// The name that stands for the part.
    public let identity: String
    /// The part.
    public let part: Part

    /// Creates a named part.
    public init(identity: String, _ part: Part) {
        self.identity = identity
        self.part = part
    }
}

/// Changes a request just before it is sent, for example to sign it.
///
/// It runs once per transfer, off every actor. An error that it throws ends the load with code `.hookFailed`. When the
/// transfer is cancelled, what it returns is not sent.
///
/// A modifier runs inside a transfer, which holds a download slot meanwhile. So it must not load through the manager or
/// the downloader that it works for: such a load throws ``ImageLoadError`` with code `.reentrant` unless memory answers
/// it. It may use another manager, or an `HTTPClient` of its own. A shutdown that it awaits ends its own transfer;
/// see ``ImageManager/shutdown(within:)``.
public typealias RequestModifier = Identified<@concurrent @Sendable (HTTPRequest) async throws -> HTTPRequest>

/// Changes the head of a response before it is checked, for example a media type that the origin gets wrong.
///
/// The body passes unchanged unless the modifier replaces it. It runs inside the transfer, as a ``RequestModifier``
/// does.
public typealias ResponseModifier = Identified<@concurrent @Sendable (HTTPResponse) async throws -> HTTPResponse>

/// Changes the bytes of a body before they are decoded and stored, for example to decrypt them.
///
/// It gets the whole body and the head of its response. It runs inside the transfer, as a ``RequestModifier`` does.
public typealias BodyTransformer = Identified<
    @concurrent @Sendable (_ body: [UInt8], _ head: OriginResponse) async throws -> [UInt8]
>

/// Makes the bytes that the disk cache keeps of an original, for example in a smaller format.
///
/// It gets the original and its address, and runs after the load. The result must be a picture that the coders read;
/// an error that it throws means that nothing is stored.
public typealias CacheSerializer = Identified<
    @concurrent @Sendable (_ original: EncodedImage, _ url: URL) async throws -> [UInt8]
>
