// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

// What `Tests/Attack/run` cannot drive through `fetch`; `run` builds it with sanitizers.
let package = Package(
    name: "attack",
    platforms: [.macOS("26.0")],
    dependencies: [.package(name: "swift-web-image", path: "../..")],
    targets: [
        .executableTarget(
            name: "attack",
            dependencies: [
                .product(name: "HTTPTransport", package: "swift-web-image"),
                .product(name: "WebImage", package: "swift-web-image"),
                .product(name: "HTTPTransportXML", package: "swift-web-image"),
                .product(name: "WebImageTesting", package: "swift-web-image"),
            ])
    ]
)
