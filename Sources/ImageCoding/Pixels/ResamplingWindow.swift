// SPDX-License-Identifier: MIT
/// The part of a picture that becomes the result of a resize, in pixels of the picture.
///
/// Its edges may lie between two pixels.
struct ResamplingWindow: Hashable, Sendable {
    /// Distance of the left edge from the picture's left edge.
    var x: Double
    /// Distance of the top edge from the picture's top edge.
    var y: Double
    /// Pixels from left to right.
    var width: Double
    /// Pixels from top to bottom.
    var height: Double

    /// The whole picture.
    static func whole(_ size: PixelSize) -> ResamplingWindow {
        ResamplingWindow(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
    }

    /// The window of the stored picture that shows this part of the upright one.
    ///
    /// - Parameters:
    ///   - orientation: How the stored pixels must be turned.
    ///   - stored: The size of the stored picture.
    func stored(_ orientation: ImageOrientation, of stored: PixelSize) -> ResamplingWindow {
        var window =
            orientation.swapsSides ? ResamplingWindow(x: y, y: x, width: height, height: width) : self
        switch orientation {
        case .upMirrored, .down, .rightMirrored, .left: window.x = Double(stored.width) - window.x - window.width
        case .up, .downMirrored, .leftMirrored, .right: break
        }
        switch orientation {
        case .down, .downMirrored, .right, .rightMirrored: window.y = Double(stored.height) - window.y - window.height
        case .up, .upMirrored, .leftMirrored, .left: break
        }
        return window
    }

    /// The same part of the picture drawn at another size.
    func scaled(x horizontal: Double, y vertical: Double) -> ResamplingWindow {
        ResamplingWindow(
            x: x * horizontal, y: y * vertical, width: width * horizontal, height: height * vertical)
    }
}
