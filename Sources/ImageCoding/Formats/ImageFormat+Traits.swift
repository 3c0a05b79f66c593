// SPDX-License-Identifier: MIT
extension ImageFormat {
    /// A package trait that a build lacks, and what has to be installed for it.
    struct MissingTrait {
        let name: String
        let package: String
    }

    /// The trait that brings a decoder for the format; `nil` when no trait does, or when it is built in.
    var missingTrait: MissingTrait? {
        #if !TIFF
        if self == .tiff { return MissingTrait(name: "TIFF", package: "libtiff-dev") }
        #endif
        #if !HEIF
        if [.heic, .heif, .avif].contains(self) { return MissingTrait(name: "HEIF", package: "libheif-dev") }
        #endif
        #if !JPEGXL
        if self == .jpegXL { return MissingTrait(name: "JPEGXL", package: "libjxl-dev") }
        #endif
        return nil
    }
}
