// SPDX-License-Identifier: MIT
import Foundation

/// The difference of two lists of samples of equal length.
struct PixelComparison {
    /// The largest difference of two samples.
    let maxDifference: Int
    /// Peak signal to noise ratio in dB; infinite for equal samples.
    let psnr: Double

    init(_ a: [UInt8], _ b: [UInt8]) {
        precondition(a.count == b.count && !a.isEmpty)
        var largest = 0
        var sum = 0
        for index in a.indices {
            let difference = abs(Int(a[index]) - Int(b[index]))
            largest = max(largest, difference)
            sum += difference * difference
        }
        maxDifference = largest
        psnr = sum == 0 ? .infinity : 10 * log10(255 * 255 * Double(a.count) / Double(sum))
    }
}

/// The 64-bit FNV-1a hash in hexadecimal.
func fnv1a(_ bytes: [UInt8]) -> String {
    let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}
