// SPDX-License-Identifier: MIT
/// Pictures in a grid, each in a cell of the same size.
///
/// ```swift
/// var sheet = try ContactSheet(count: files.count, cell: PixelSize(width: 160, height: 120))
/// for (index, file) in files.enumerated() {
///     try sheet.place(coders.decode(file, options: DecodeOptions(thumbnail: sheet.thumbnail)), at: index)
/// }
/// ```
public struct ContactSheet: Sendable {
    /// The size of a cell, in pixels.
    public let cell: PixelSize
    /// The cells of a row.
    public let columns: Int
    /// The number of cells.
    public let count: Int
    /// The pixels between two cells, and around all.
    public let spacing: Int
    private var canvas: PremultipliedCanvas

    /// Creates a sheet without pictures.
    ///
    /// - Parameters:
    ///   - count: The number of cells, at least 1.
    ///   - cell: The size of a cell, in pixels.
    ///   - columns: The cells of a row; by default so many that the sheet is about square.
    ///   - spacing: The pixels between two cells, and around all.
    ///   - background: The colour of all that no picture covers.
    ///   - limits: The limits of the sheet's size.
    /// - Throws: ``ImageError`` with `.invalidRequest` without cells, for a cell without pixels or negative spacing,
    ///   `.tooLarge` beyond the limits; `CancellationError`.
    public init(
        count: Int, cell: PixelSize = PixelSize(width: 160, height: 160), columns: Int? = nil, spacing: Int = 8,
        background: PixelColor = .white, limits: ImageLimits = .default
    ) throws {
        guard count > 0, cell.width > 0, cell.height > 0, spacing >= 0, columns ?? 1 > 0 else {
            throw ImageError(
                code: .invalidRequest, message: "A sheet of \(count) cells of \(cell), \(spacing) pixels apart.")
        }
        let square = (Double(count) * Double(cell.height) / Double(cell.width)).squareRoot().rounded(.up)
        let columns = min(columns ?? Int(min(square, 1e6)), count)
        (self.count, self.cell, self.columns, self.spacing) = (count, cell, columns, spacing)
        func side(_ cells: Int, _ length: Int) -> Int {
            length.saturatingAdd(spacing).saturatingMultiply(cells).saturatingAdd(spacing)
        }
        let size = PixelSize(
            width: side(columns, cell.width), height: side((count - 1) / columns + 1, cell.height))
        canvas = try PremultipliedCanvas(size, color: background, limits: limits)
    }

    /// The resize that makes a picture fit its cell: for ``DecodeOptions/thumbnail``.
    public var thumbnail: ResizeTransformer { ResizeTransformer(size: cell) }

    /// Draws a picture in the middle of a cell. One that is too large is made smaller.
    ///
    /// - Parameters:
    ///   - image: The picture, of an animation the first frame.
    ///   - index: The cell, from 0, row by row.
    /// - Throws: ``ImageError`` with `.invalidRequest` for an index without a cell; `CancellationError`.
    public mutating func place(_ image: DecodedImage, at index: Int) throws {
        guard (0..<count).contains(index) else {
            throw ImageError(code: .invalidRequest, message: "There are \(count) cells, and none at \(index).")
        }
        let picture = try thumbnail.transform(image.firstFrame)
        let corner = Gravity.center.corner(of: picture.size, in: cell)
        try canvas.draw(
            picture, x: spacing + index % columns * (cell.width + spacing) + corner.x,
            y: spacing + index / columns * (cell.height + spacing) + corner.y)
    }

    /// The sheet as a picture.
    public var image: DecodedImage { canvas.image }
}
