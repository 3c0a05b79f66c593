// SPDX-License-Identifier: MIT
extension ImageFormat {
    /// Creates the format of a media type.
    ///
    /// Case, surrounding blanks and parameters (`; charset=…`) are ignored; old and vendor names are accepted.
    ///
    /// - Parameter mimeType: The value of a `Content-Type` header.
    public init?(mimeType: String) {
        if let usual = ImageFormat.all.first(where: { $0.mimeType == mimeType }) {
            self = usual
            return
        }
        let essence = mimeType.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
        let known = ImageFormat.all.first { $0.mimeType == essence } ?? ImageFormat.otherTypes[essence]
        guard let known else { return nil }
        self = known
    }

    /// Creates the format of a file name extension.
    ///
    /// - Parameter fileExtension: The extension without a dot, in any case.
    public init?(fileExtension: String) {
        let name = fileExtension.lowercased()
        let known = ImageFormat.all.first { $0.fileExtension == name } ?? ImageFormat.otherExtensions[name]
        guard let known else { return nil }
        self = known
    }

    private static let otherTypes: [String: ImageFormat] = [
        "image/jpg": .jpeg, "image/pjpeg": .jpeg, "image/x-png": .png, "image/apng": .png, "image/tiff-fx": .tiff,
        "image/heic-sequence": .heic, "image/heif-sequence": .heif, "application/x-pdf": .pdf,
        "image/svg": .svg, "image/x-bmp": .bmp, "image/x-ms-bmp": .bmp, "image/vnd.microsoft.bmp": .bmp,
        "image/x-icon": .ico, "image/ico": .ico,
        "image/x-adobe-dng": .raw, "image/dng": .raw, "image/x-canon-cr2": .raw, "image/x-canon-cr3": .raw,
        "image/x-nikon-nef": .raw, "image/x-sony-arw": .raw, "image/x-fuji-raf": .raw,
        "image/x-olympus-orf": .raw, "image/x-panasonic-rw2": .raw, "image/x-panasonic-raw": .raw,
        "image/x-pentax-pef": .raw, "image/avif-sequence": .avif, "image/jpegxl": .jpegXL,
    ]

    private static let otherExtensions: [String: ImageFormat] = [
        "jpeg": .jpeg, "jpe": .jpeg, "jfif": .jpeg, "apng": .png, "tif": .tiff, "heics": .heic, "heifs": .heif,
        "hif": .heif, "dib": .bmp,
        "cur": .ico, "dng": .raw, "cr2": .raw, "cr3": .raw, "nef": .raw, "arw": .raw, "raf": .raw,
        "orf": .raw, "rw2": .raw, "pef": .raw, "avifs": .avif,
    ]
}

extension ImageFormat {
    /// The package trait that brings a decoder for the format, and what has to be installed for it; `nil` when no trait
    /// does, or when it is built in.
    var missingTrait: (name: String, package: String)? {
        #if !TIFF
        if self == .tiff { return ("TIFF", "libtiff-dev") }
        #endif
        #if !HEIF
        if [.heic, .heif, .avif].contains(self) { return ("HEIF", "libheif-dev") }
        #endif
        #if !JPEGXL
        if self == .jpegXL { return ("JPEGXL", "libjxl-dev") }
        #endif
        return nil
    }
}
