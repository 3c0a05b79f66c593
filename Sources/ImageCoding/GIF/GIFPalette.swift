import CLibgif

/// The colours of a frame as RGBA pixels, 256 of them: indexes beyond the file's palette are opaque black.
struct GIFPalette {
    /// Four bytes a colour.
    let pixels: [UInt8]
    /// The index that leaves the screen unchanged, or a number that no index has.
    let transparent: Int

    init(_ map: ColorMapObject, transparent: Int) {
        var pixels = [UInt8](repeating: 0, count: 1024)
        for index in 0..<256 {
            if let colors = unsafe map.Colors, unsafe index < map.ColorCount {
                pixels[index * 4] = unsafe colors[index].Red
                pixels[index * 4 + 1] = unsafe colors[index].Green
                pixels[index * 4 + 2] = unsafe colors[index].Blue
            }
            pixels[index * 4 + 3] = 255
        }
        self.pixels = pixels
        self.transparent = transparent
    }
}
