// SPDX-License-Identifier: MIT
import Foundation

/// Paints with the kitty graphics protocol.
///
/// - Source: https://sw.kovidgoyal.net/kitty/graphics-protocol/
enum Kitty {
    /// Base64 characters in one escape sequence; the protocol allows 4,096.
    static let chunkSize = 4_096

    /// Asks whether the terminal knows the protocol, with one pixel that is not kept.
    static let query = Array("\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\".utf8)
    /// Removes every picture.
    static let removeAll = Array("\u{1B}_Ga=d,d=A,q=2\u{1B}\\".utf8)

    /// The bytes that draw a patch at the cursor, scaled to that many cells, and replace the picture with the same
    /// number.
    ///
    /// The cursor stays where it is, and the terminal answers nothing.
    static func bytes(_ patch: Patch, id: Int, columns: Int, rows: Int, isOnTop: Bool = false) -> [UInt8] {
        let data = Array(Data(patch.pixels).base64EncodedData())
        let keys =
            "a=T,f=24,s=\(patch.width),v=\(patch.height),i=\(id),p=1,c=\(columns),r=\(rows),C=1,q=2,"
            + (isOnTop ? "z=1," : "")
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.count + data.count / chunkSize * 16 + 128)
        var start = 0
        repeat {
            let end = min(data.count, start + chunkSize)
            bytes += Array("\u{1B}_G\(start == 0 ? keys : "")m=\(end < data.count ? 1 : 0);".utf8)
            bytes += data[start..<end]
            bytes += Array("\u{1B}\\".utf8)
            start = end
        } while start < data.count
        return bytes
    }

    /// Removes a picture and frees its memory.
    static func remove(id: Int) -> [UInt8] { Array("\u{1B}_Ga=d,d=I,i=\(id),q=2\u{1B}\\".utf8) }
}
