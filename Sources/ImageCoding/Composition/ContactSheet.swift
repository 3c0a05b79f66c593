// SPDX-License-Identifier: MIT
/// Pictures in rows of the sheet's whole width, with the same gap between all of them. Each keeps its shape, and those
/// of a row have one height.
///
/// ```swift
/// let sizes = try files.map { try coders.properties(of: $0).size }
/// var sheet = try ContactSheet(of: sizes, width: 1_200, rowHeight: 200)
/// for (index, file) in files.enumerated() {
///     try sheet.place(coders.decode(file, options: DecodeOptions(thumbnail: sheet.thumbnail(at: index))), at: index)
/// }
/// ```
public struct ContactSheet: Sendable {
    /// Where the pictures are, in pixels of the sheet, in their order.
    public let frames: [PixelRect]
    /// The sheet, on which captions may be drawn.
    public var canvas: PremultipliedCanvas

    /// Creates a sheet without pictures.
    ///
    /// - Parameters:
    ///   - sizes: The sizes of the pictures, at least one.
    ///   - width: The width of the sheet, in pixels; by default one with which the sheet is about square.
    ///   - rowHeight: The height that rows have about, and are at most twice as high, in pixels.
    ///   - spacing: The pixels between two pictures, and around all.
    ///   - caption: The pixels below each row that are left free for captions.
    ///   - background: The colour of all that no picture covers.
    ///   - limits: The limits of the sheet's size.
    /// - Throws: ``ImageError`` with `.invalidRequest` without a size or a pixel, and for a width without room for a
    ///   picture, `.tooLarge` beyond the limits; `CancellationError`.
    /// - Complexity: O(number of pictures × the most pictures that a row can have).
    public init(
        of sizes: [PixelSize], width: Int? = nil, rowHeight: Int = 200, spacing: Int = 12, caption: Int = 0,
        background: PixelColor = .white, limits: ImageLimits = .default
    ) throws {
        let shapes = sizes.map { Double($0.width) / Double(max($0.height, 1)) }
        let (square, most) = (Double(rowHeight) * shapes.reduce(0, +).squareRoot(), 1_000_000)
        let width = width ?? Int(min(max(square, 1), 1e6)) + 2 * min(max(spacing, 0), most)
        guard sizes.map(\.height).min() ?? 0 > 0, shapes.allSatisfy({ (1e-5...1e5).contains($0) }),
            (0...most).contains(caption), (1...3 * most).contains(width), (0..<(width + 1) / 2).contains(spacing),
            (1...most).contains(rowHeight)
        else {
            throw ImageError(code: .invalidRequest, message: "\(sizes.count) pictures fit no sheet of \(width) px.")
        }
        let rows = Self.rows(shapes, width: width, height: Double(rowHeight), spacing, caption)
        frames = rows.frames
        canvas = try PremultipliedCanvas(
            PixelSize(width: width, height: rows.height), color: background, limits: limits)
    }

    /// The frames of pictures in the rows whose heights are nearest to the one asked for, by their ratio, and the
    /// height of all with the space around them.
    private static func rows(
        _ shapes: [Double], width: Int, height: Double, _ spacing: Int, _ caption: Int
    ) -> (frames: [PixelRect], height: Int) {
        func room(_ count: Int) -> Int { max(count, width - (count + 1) * spacing) }
        // The least cost of the first pictures, and where the last row of them begins.
        var best: [(cost: Double, start: Int)] = [(0, 0)]
        for end in 1...shapes.count {
            var (sum, least) = (0.0, (cost: Double.infinity, start: 0))
            for start in (0..<end).reversed() {
                sum += shapes[start]
                let ratio = Double(room(end - start)) / sum / height
                let cost = best[start].cost + ratio + 1 / ratio - 2
                if cost < least.cost { least = (cost, start) }
                if ratio < 0.2 { break }
            }
            best.append(least)
        }
        let last = best[shapes.count].start..<shapes.count
        let rows = sequence(first: last) { $0.lowerBound > 0 ? best[$0.lowerBound].start..<$0.lowerBound : nil }
        var (frames, bottom) = ([PixelRect](), spacing)
        for row in Array(rows).reversed() {
            let rowHeight = min(Double(room(row.count)) / shapes[row].reduce(0, +), 2 * height)
            var edge = 0.0
            for (place, shape) in shapes[row].enumerated() {
                let (left, right) = (Int(edge.rounded()), Int((edge + shape * rowHeight).rounded()))
                let x = left + (place + 1) * spacing
                frames.append(PixelRect(x: x, y: bottom, width: max(1, right - left), height: max(1, Int(rowHeight))))
                edge += shape * rowHeight
            }
            bottom += max(1, Int(rowHeight)) + caption + spacing
        }
        return (frames, bottom)
    }

    /// The resize that makes a picture fit its frame: for ``DecodeOptions/thumbnail``.
    ///
    /// - Parameter index: The place of the picture, one of ``frames``.
    public func thumbnail(at index: Int) -> ResizeTransformer {
        ResizeTransformer(size: PixelSize(width: frames[index].width, height: frames[index].height), mode: .stretch)
    }

    /// Draws a picture in the middle of its frame. One that is too large is made smaller.
    ///
    /// - Parameters:
    ///   - image: The picture, of an animation the first frame.
    ///   - index: The place of the picture, from 0.
    /// - Throws: ``ImageError`` with `.invalidRequest` for an index without a frame; `CancellationError`.
    public mutating func place(_ image: DecodedImage, at index: Int) throws {
        guard frames.indices.contains(index) else {
            throw ImageError(code: .invalidRequest, message: "There are \(frames.count) frames, and none at \(index).")
        }
        let picture = try thumbnail(at: index).transform(image.firstFrame)
        let corner = Gravity.center.corner(of: picture.size, in: thumbnail(at: index).size)
        try canvas.draw(picture, x: frames[index].x + corner.x, y: frames[index].y + corner.y)
    }

    /// The sheet as a picture.
    public var image: DecodedImage { canvas.image }
}
