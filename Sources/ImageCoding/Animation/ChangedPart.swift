// SPDX-License-Identifier: MIT
import CImageShims

/// The part of a frame that differs from the frame before: all that an animation must store.
enum ChangedPart {
    /// The smallest rectangle around all differing pixels; one pixel when none differs, and all without a frame before.
    static func rect(_ size: PixelSize, _ before: [UInt8]?, _ after: [UInt8]) -> PixelRect {
        guard let before else { return PixelRect(x: 0, y: 0, width: size.width, height: size.height) }
        let rowBytes = size.width * 4
        let rows = unsafe before.withUnsafeBytes { before in
            unsafe after.withUnsafeBytes { after in
                // Both are whole frames.
                (0..<size.height).filter { y in
                    unsafe memcmp(before.baseAddress! + y * rowBytes, after.baseAddress! + y * rowBytes, rowBytes) != 0
                }
            }
        }
        guard let top = rows.first, let bottom = rows.last else { return PixelRect(x: 0, y: 0, width: 1, height: 1) }
        var left = size.width
        var right = 0
        for y in rows {
            let row = y * rowBytes..<(y + 1) * rowBytes
            guard let first = row.first(where: { before[$0] != after[$0] }),
                let last = row.last(where: { before[$0] != after[$0] })
            else { continue }
            left = min(left, (first - row.lowerBound) / 4)
            right = max(right, (last - row.lowerBound) / 4)
        }
        return PixelRect(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
    }
}

/// How long frames are shown, by the rules that browsers share.
enum FrameTiming {
    /// A delay below 11 ms counts as 100 ms: such files ask for the highest speed and expect that of old browsers.
    static func duration(milliseconds: Int) -> Duration {
        .milliseconds(milliseconds < 11 ? 100 : milliseconds)
    }

    /// A duration in whole milliseconds, at least 0, for writing.
    static func milliseconds(_ duration: Duration) -> Int {
        // A day is longer than any format can hold, and cannot overflow.
        let shown = min(max(duration, .zero), .seconds(86_400))
        return Int((shown.attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000)
    }
}
