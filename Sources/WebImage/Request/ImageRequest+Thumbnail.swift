import ImageCoding

extension ImageRequest {
    /// The box of a leading transformer that only shrinks to fit. Decoders do the same while decoding, in a fraction of
    /// the time and memory.
    var thumbnail: PixelSize? {
        guard let resize = transformers.first as? ResizeTransformer, resize.mode == .fit, !resize.allowsEnlarging,
            resize.size.width > 0, resize.size.height > 0
        else { return nil }
        return resize.size
    }
}
