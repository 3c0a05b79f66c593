// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

// A package as a user would write it: it depends on this one by path and is built and run by `.ci/run`.
let package = Package(
    name: "thumbnailer",
    platforms: [.macOS("26.0")],
    dependencies: [.package(name: "swift-web-image", path: "../..")],
    targets: [
        .executableTarget(
            name: "thumbnailer",
            dependencies: [
                .product(name: "WebImage", package: "swift-web-image"),
                .product(name: "WebImageTesting", package: "swift-web-image"),
            ])
    ]
)
