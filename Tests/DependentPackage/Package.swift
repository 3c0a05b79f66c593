// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

// A package as a user would write it: it depends on this one by path and is built and run by `.ci/run`. Beside it,
// modules that declare the names of HTTP as other packages of a server do.
let neighbours = [
    "HTTPTypes": [], "NIOHTTP1": [], "AsyncHTTPClient": [], "Hummingbird": ["HTTPTypes"],
    "Vapor": ["AsyncHTTPClient", "NIOHTTP1"],
]

let package = Package(
    name: "thumbnailer",
    platforms: [.macOS("26.0")],
    dependencies: [.package(name: "swift-web-image", path: "../..")],
    targets: [
        .executableTarget(
            name: "thumbnailer",
            dependencies: [
                .product(name: "HTTPTransport", package: "swift-web-image"),
                .product(name: "WebImage", package: "swift-web-image"),
                .product(name: "WebImageBinding", package: "swift-web-image"),
                .product(name: "WebImageTesting", package: "swift-web-image"),
            ] + neighbours.keys.sorted().map { .target(name: $0) })
    ]
        + neighbours.sorted { $0.key < $1.key }.map { name, others in
            .target(
                name: name, dependencies: others.map { .target(name: $0) }, path: "Sources/StandIns/\(name)",
                swiftSettings: [.enableUpcomingFeature("InternalImportsByDefault")])
        }
)
