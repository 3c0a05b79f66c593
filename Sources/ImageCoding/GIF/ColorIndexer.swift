/// Replaces pixels by the nearest colours of a palette, with or without error diffusion.
///
/// Integer arithmetic alone, so the same pixels always give the same indexes.
struct ColorIndexer {
    private let palette: [SIMD3<Int>]
    private let transparent: UInt8
    private let isDithered: Bool
    /// The nearest palette entry per cell of 6 bits a channel; -1 for a cell that was not looked up yet.
    private var nearestCache = [Int16](repeating: -1, count: 1 << 18)

    /// Creates an indexer.
    ///
    /// - Parameters:
    ///   - quantizer: The palette. When it is exact, nothing is dithered and colours are looked up exactly.
    ///   - transparent: The index for pixels of less than half alpha.
    ///   - isDithered: Whether the error of a pixel is passed on to its neighbours.
    init(_ quantizer: ColorQuantizer, transparent: UInt8, isDithered: Bool) {
        palette = quantizer.palette.map { SIMD3<Int>(truncatingIfNeeded: $0) }
        self.transparent = transparent
        self.isDithered = isDithered && !quantizer.isExact
        exact = quantizer.isExact ? Dictionary(uniqueKeysWithValues: zip(quantizer.palette, 0...255)) : nil
    }

    private let exact: [SIMD3<UInt8>: UInt8]?

    /// Finds the indexes of a bitmap, row by row.
    ///
    /// - Parameters:
    ///   - pixels: RGBA, not premultiplied.
    ///   - width: Pixels a row.
    /// - Throws: `CancellationError`, checked between rows.
    /// - Source: Floyd and Steinberg, "An adaptive algorithm for spatial grayscale", 1976.
    mutating func indexes(of pixels: [UInt8], width: Int) throws -> [UInt8] {
        var indexes = [UInt8]()
        indexes.reserveCapacity(pixels.count / 4)
        // The errors of the rows above, in sixteenths; one column of room on either side.
        var errors = [SIMD3<Int>](repeating: .zero, count: width + 2)
        for row in 0..<pixels.count / 4 / width {
            if row % 16 == 0 { try Task.checkCancellation() }
            var below = [SIMD3<Int>](repeating: .zero, count: width + 2)
            for x in 0..<width {
                let offset = (row * width + x) * 4
                guard pixels[offset + 3] >= 128 else {
                    indexes.append(transparent)
                    continue
                }
                let color = SIMD3(pixels[offset], pixels[offset + 1], pixels[offset + 2])
                if let exact {
                    indexes.append(exact[color] ?? 0)
                    continue
                }
                var wanted = SIMD3<Int>(truncatingIfNeeded: color)
                if isDithered {
                    let left = (errors[x + 1] &+ 8) &>> 4
                    wanted = (wanted &+ left).clamped(lowerBound: .zero, upperBound: SIMD3(repeating: 255))
                }
                let index = nearest(wanted)
                indexes.append(UInt8(truncatingIfNeeded: index))
                guard isDithered else { continue }
                let error = wanted &- palette[index]
                errors[x + 2] &+= error &* 7
                below[x] &+= error &* 3
                below[x + 1] &+= error &* 5
                below[x + 2] &+= error
            }
            errors = below
        }
        return indexes
    }

    private mutating func nearest(_ color: SIMD3<Int>) -> Int {
        let cell = ((color.x >> 2) << 12) | ((color.y >> 2) << 6) | (color.z >> 2)
        if nearestCache[cell] >= 0 { return Int(nearestCache[cell]) }
        // The middle of the cell represents all its colours, whichever came first.
        let middle = ((color &>> 2) &<< 2) &+ SIMD3(repeating: 2)
        var best = 0
        var bestDistance = Int.max
        for (index, entry) in palette.enumerated() {
            let difference = entry &- middle
            let distance = (difference &* difference).wrappedSum()
            if distance < bestDistance { (best, bestDistance) = (index, distance) }
        }
        nearestCache[cell] = Int16(best)
        return best
    }
}
