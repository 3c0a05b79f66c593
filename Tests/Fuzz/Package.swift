// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

// A program of libFuzzer over the coders, built with `--sanitize=fuzzer`; see `run`.
let package = Package(
    name: "fuzz",
    platforms: [.macOS("26.0")],
    dependencies: [.package(name: "swift-web-image", path: "../..")],
    targets: [
        .executableTarget(
            name: "FuzzCoders", dependencies: [.product(name: "ImageCoding", package: "swift-web-image")],
            // `main` is libFuzzer's.
            swiftSettings: [.unsafeFlags(["-parse-as-library"])])
    ]
)
