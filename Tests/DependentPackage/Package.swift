// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

// A package as a user would write it: it depends on this one by path and is built and run by `.ci/run`. Beside it,
// modules that declare what other packages of a server do, with their signatures.
let neighbours = [
    "HTTPTypes": [], "NIOCore": [], "NIOHTTP1": [], "Logging": [], "Metrics": [], "Tracing": [], "UnixSignals": [],
    "ServiceLifecycle": ["Logging", "UnixSignals"], "AsyncHTTPClient": [],
    "Hummingbird": ["HTTPTypes", "Logging", "NIOCore", "ServiceLifecycle", "UnixSignals"],
    "Vapor": ["AsyncHTTPClient", "Logging", "NIOCore", "NIOHTTP1", "Tracing"],
]

// The example of a thumbnail service, and the sketches that its guide prints word for word.
let programs = ["thumbnailer", "ThumbnailService", "HummingbirdService", "VaporService"]

let products = ["HTTPTransport", "SignedAddresses", "WebImage", "WebImageBinding", "WebImageTesting"]

let package = Package(
    name: "thumbnailer",
    platforms: [.macOS("26.0")],
    dependencies: [.package(name: "swift-web-image", path: "../..")],
    targets: programs.map { name in
        .executableTarget(
            name: name,
            dependencies: products.map { .product(name: $0, package: "swift-web-image") }
                + neighbours.keys.sorted().map { .target(name: $0) })
    }
        + neighbours.sorted { $0.key < $1.key }.map { name, others in
            .target(
                name: name, dependencies: others.map { .target(name: $0) }, path: "Sources/StandIns/\(name)",
                swiftSettings: [.enableUpcomingFeature("InternalImportsByDefault")])
        }
)
