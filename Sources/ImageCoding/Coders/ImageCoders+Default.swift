extension ImageCoders {
    /// The coders of this module: JPEG, PNG, GIF and WebP, each for reading and writing.
    public static let `default` = ImageCoders(
        decoders: [JPEGCoder(), PNGCoder(), GIFCoder(), WebPCoder()],
        encoders: [JPEGCoder(), PNGCoder(), GIFCoder(), WebPCoder()])
}
