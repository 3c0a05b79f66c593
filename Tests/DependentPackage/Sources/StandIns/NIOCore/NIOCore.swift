// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Stands in for swift-nio 2.
public struct ByteBuffer: Sendable {
    public let readableBytes: Int
    public init<Bytes: Sequence>(bytes: Bytes) where Bytes.Element == UInt8 { readableBytes = Array(bytes).count }
}

public struct ByteBufferAllocator: Sendable {
    public init() {}
}

public protocol Channel: AnyObject, Sendable {}

public protocol EventLoopGroup: AnyObject, Sendable {}
