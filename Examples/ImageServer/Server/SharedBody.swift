// SPDX-License-Identifier: MIT
/// The body of answers that are sent many times: bytes at one address, which libmicrohttpd sends without a copy.
///
/// An array promises its address for the time of a call only.
/// Safe: the bytes are written in `init`, freed in `deinit`, and only read in between.
@safe final class SharedBody: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    init(_ body: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: body.count, alignment: 16)
        unsafe copy.copyBytes(from: body)
        unsafe bytes = UnsafeRawBufferPointer(copy)
    }

    deinit { unsafe bytes.deallocate() }
}
