extension ImageCoders {
    /// The coders of this module: JPEG, PNG, GIF and WebP, each both ways.
    public static let `default` = ImageCoders(
        decoders: [JPEGCoder(), PNGCoder(), GIFCoder(), WebPCoder()],
        encoders: [JPEGCoder(), PNGCoder(), GIFCoder(), WebPCoder()])
}
