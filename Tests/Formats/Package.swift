// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

// The formats behind package traits, with all traits enabled; see `run`.
let package = Package(
    name: "formats",
    platforms: [.macOS("26.0")],
    dependencies: [
        .package(name: "swift-web-image", path: "../..", traits: ["TIFF", "HEIF", "JPEGXL"])
    ],
    targets: [
        .testTarget(
            name: "FormatTests", dependencies: [.product(name: "ImageCoding", package: "swift-web-image")])
    ]
)
