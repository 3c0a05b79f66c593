// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

let package = Package(
    name: "swift-web-image",
    platforms: [.macOS("26.0"), .iOS("26.0")],
    products: [
        .library(name: "WebImage", targets: ["WebImage"]),
        .library(name: "WebImageBinding", targets: ["WebImageBinding"]),
        .library(name: "HTTPTransport", targets: ["HTTPTransport"]),
        .library(name: "HTTPLoaders", targets: ["HTTPLoaders"]),
        .library(name: "HTTPTransportXML", targets: ["HTTPTransportXML"]),
        .library(name: "HTTPCaching", targets: ["HTTPCaching"]),
        .library(name: "ImageCoding", targets: ["ImageCoding"]),
        .library(name: "TaskCoordination", targets: ["TaskCoordination"]),
        .library(name: "SDWebImageCache", targets: ["SDWebImageCache"]),
        .library(name: "SharedStores", targets: ["SharedStores"]),
        .library(name: "RedisStore", targets: ["RedisStore"]),
        .library(name: "ObjectStore", targets: ["ObjectStore"]),
        .library(name: "SignedAddresses", targets: ["SignedAddresses"]),
        .library(name: "WebImageTesting", targets: ["WebImageTesting"]),
        .executable(name: "fetch", targets: ["fetch"]),
        .executable(name: "contact-sheet", targets: ["contact-sheet"]),
        .executable(name: "stampede", targets: ["stampede"]),
        .executable(name: "gallery", targets: ["gallery"]),
        .executable(name: "bench", targets: ["bench"]),
        .executable(name: "cache-trial", targets: ["cache-trial"]),
        .executable(name: "soak", targets: ["soak"]),
        .executable(name: "lessons", targets: ["lessons"]),
        .executable(name: "image-server", targets: ["ImageServer"]),
        .executable(name: "raw-proxy", targets: ["raw-proxy"]),
        .executable(name: "thumbnail-service", targets: ["thumbnail-service"]),
    ],
    // Formats whose libraries are large or often attacked. All are off by default: without a trait, its library is
    // neither compiled against nor linked, and need not be installed.
    traits: [
        .trait(name: "TIFF", description: "Reads TIFF, with libtiff."),
        .trait(name: "HEIF", description: "Reads HEIC and AVIF, and writes AVIF, with libheif."),
        .trait(name: "JPEGXL", description: "Reads JPEG XL, with libjxl."),
        .default(enabledTraits: []),
    ],
    targets: [
        // Floor 1: the C libraries, and the smallest shims for what Swift cannot import (variadic functions, setjmp).
        .systemLibrary(
            name: "CLibcurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(
            name: "CLibjpeg", pkgConfig: "libjpeg",
            providers: [.apt(["libjpeg-dev"]), .brew(["jpeg-turbo"])]),
        .systemLibrary(name: "CLibpng", pkgConfig: "libpng", providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),
        .systemLibrary(name: "CLibwebp", pkgConfig: "libwebpmux", providers: [.apt(["libwebp-dev"]), .brew(["webp"])]),
        .systemLibrary(name: "CLibgif", providers: [.apt(["libgif-dev"]), .brew(["giflib"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl"])]),
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
        .systemLibrary(
            name: "CLibtiff", pkgConfig: "libtiff-4",
            providers: [.apt(["libtiff-dev"]), .brew(["libtiff"])]),
        .systemLibrary(name: "CLibheif", pkgConfig: "libheif", providers: [.apt(["libheif-dev"]), .brew(["libheif"])]),
        .systemLibrary(
            name: "CLiblcms", pkgConfig: "lcms2",
            providers: [.apt(["liblcms2-dev"]), .brew(["little-cms2"])]),
        .target(name: "CRedisShims", dependencies: ["CHiredis"]),
        .target(name: "CTransportShims", dependencies: ["CLibcurl"]),
        .target(name: "CEventLoopShims"),
        .target(
            name: "CImageShims",
            dependencies: [
                "CLibjpeg", "CLibpng", "CLiblcms", .byName(name: "CLibtiff", condition: .when(traits: ["TIFF"])),
                .byName(name: "CLibheif", condition: .when(traits: ["HEIF"])),
            ],
            cSettings: [
                .define("SWI_TIFF", .when(traits: ["TIFF"])), .define("SWI_HEIF", .when(traits: ["HEIF"])),
                .define("SWI_JPEGXL", .when(traits: ["JPEGXL"])),
            ],
            // The flags of its own pkg-config file are not accepted.
            linkerSettings: [
                .linkedLibrary("jxl", .when(traits: ["JPEGXL"])), .linkedLibrary("z"),
            ]),
        .target(name: "CCacheShims"),
        .target(name: "CPictureShims"),
        .target(name: "CSceneShims", dependencies: ["CPictureShims"], path: "Examples/SceneShims"),
        .target(
            name: "CBenchBaselines", dependencies: ["CLibcurl", "CLibjpeg", "CLibpng", "CLibgif", "CHiredis"],
            path: "Examples/BenchBaselines"),

        // Floor 1: the standard library's atomics and lock, and what stands in for the lock under the thread sanitizer.
        .target(name: "Locks"),

        // Floor 1: URL, Data and Date without the rest of Foundation, and the C library.
        .target(name: "PlatformBasics"),

        // Floor 1: flights, slots, pools. The standard library and Dispatch only.
        .target(name: "TaskCoordination", dependencies: ["Locks"]),

        // Floor 1: a thread that waits for descriptors, and is the executor of actors.
        .target(name: "EventLoops", dependencies: ["CEventLoopShims", "Locks", "TaskCoordination"]),

        // Floor 2: the network, and the pictures. Neither knows the other.
        .target(
            name: "HTTPTransport",
            dependencies: [
                "Locks", "PlatformBasics", "EventLoops", "TaskCoordination", "CLibcurl", "CTransportShims",
            ]),
        .target(name: "ImageCoding", dependencies: ["Locks", "CImageShims", "CLibwebp", "CLibgif"]),

        // Loaders above and beside the client: retries, resuming, rates, a queue, files. A client needs none of them.
        .target(
            name: "HTTPLoaders",
            dependencies: [
                "Locks", "PlatformBasics", "EventLoops", "TaskCoordination", "HTTPTransport", "CTransportShims",
            ]),

        // XML in responses, apart because FoundationXML is large.
        .target(name: "HTTPTransportXML", dependencies: ["HTTPTransport"]),

        // HTTP's rules for caches, as values. Of the network it knows the messages alone.
        .target(name: "HTTPCaching", dependencies: ["PlatformBasics", "HTTPTransport", "TaskCoordination"]),

        // Floor 3: the four actors and the road of a request.
        .target(
            name: "WebImage",
            dependencies: [
                "Locks", "PlatformBasics", "TaskCoordination", "HTTPTransport", "HTTPCaching", "ImageCoding",
                "CCacheShims", "COpenSSL",
            ]),

        // Floor 4: loads bound to views.
        .target(name: "WebImageBinding", dependencies: ["PlatformBasics", "WebImage", "TaskCoordination"]),

        // Floor 4: the folder of an app that uses SDWebImage.
        .target(
            name: "SDWebImageCache", dependencies: ["PlatformBasics", "TaskCoordination", "WebImage", "COpenSSL"]),

        // Floor 4: entries that machines share, and the stores that keep them. A program that does not import one does
        // not link its C library.
        .target(name: "SharedStores", dependencies: ["Locks", "PlatformBasics", "TaskCoordination", "WebImage"]),
        .target(
            name: "RedisStore",
            dependencies: [
                "PlatformBasics", "SharedStores", "EventLoops", "TaskCoordination", "CHiredis", "CRedisShims",
                "COpenSSL",
            ]),

        .target(
            name: "ObjectStore", dependencies: ["PlatformBasics", "SharedStores", "HTTPTransport", "WebImage"]),

        // The addresses of the image server, for programs that make or check them.
        .target(name: "SignedAddresses", dependencies: ["PlatformBasics", "COpenSSL"]),

        // What tests need, ours and other people's.
        .target(
            name: "WebImageTesting",
            dependencies: [
                "Locks", "PlatformBasics", "TaskCoordination", "HTTPTransport", "ImageCoding", "COpenSSL",
                "CPictureShims",
            ]),

        // Floor 5. What the examples show comes first.
        .target(
            name: "Scenes", dependencies: ["ImageCoding", "WebImageTesting", "CPictureShims", "CSceneShims"],
            path: "Examples/Scenes"),
        .executableTarget(
            name: "fetch",
            dependencies: ["Locks", "PlatformBasics", "WebImage", "HTTPTransport", "HTTPLoaders"],
            path: "Examples/Fetch"),
        .executableTarget(
            name: "contact-sheet", dependencies: ["ImageCoding", "Scenes"], path: "Examples/ContactSheet"),
        .executableTarget(name: "stampede", dependencies: ["WebImage", "WebImageTesting"], path: "Examples/Stampede"),
        .executableTarget(
            name: "soak", dependencies: ["Locks", "HTTPTransport", "WebImage", "WebImageTesting"],
            path: "Examples/Soak"),
        .executableTarget(
            name: "lessons", dependencies: ["Locks", "TaskCoordination", "WebImageTesting"], path: "Examples/Lessons"),
        .executableTarget(
            name: "ImageServer",
            dependencies: [
                "Locks", "PlatformBasics", "WebImage", "SharedStores", "RedisStore", "ObjectStore", "HTTPCaching",
                "HTTPTransport", "HTTPLoaders", "EventLoops", "TaskCoordination", "WebImageTesting", "Scenes",
                "SignedAddresses", "COpenSSL",
            ],
            path: "Examples/ImageServer",
            exclude: ["Dockerfile", "README.md", "compose.yaml", "image-server.service", "nginx.conf", "page.webp"],
            // In the program itself: it needs no folder of resources beside it.
            resources: [.embedInCode("Demo/Page")]),
        .executableTarget(
            name: "raw-proxy",
            dependencies: [
                "Locks", "PlatformBasics", "HTTPCaching", "HTTPTransport", "TaskCoordination", "WebImage",
                "WebImageTesting",
            ],
            path: "Examples/RawProxy"),
        .executableTarget(
            name: "thumbnail-service",
            dependencies: ["HTTPTransport", "SignedAddresses", "WebImage", "WebImageTesting"],
            path: "Examples/ThumbnailService"),
        .executableTarget(
            name: "gallery",
            dependencies: ["Locks", "HTTPTransport", "WebImageBinding", "WebImageTesting", "Scenes"],
            path: "Examples/Gallery",
            exclude: ["gallery.gif", "screenshot.keys", "scroll.keys", "tour.keys"]),
        .executableTarget(
            name: "bench",
            dependencies: [
                "Locks", "WebImage", "SharedStores", "RedisStore", "HTTPTransport", "ImageCoding", "TaskCoordination",
                "WebImageTesting", "CBenchBaselines",
            ],
            path: "Examples/Bench"),

        .executableTarget(
            name: "cache-trial", dependencies: ["WebImage", "WebImageTesting"], path: "Examples/CacheTrial"),

        // The traits of our own suites; needs Swift Testing, so it is no part of `WebImageTesting`.
        .target(
            name: "TestSupport", dependencies: ["Locks", "WebImageTesting", "CTestSupport"], path: "Tests/TestSupport"),
        .target(name: "CTestSupport", path: "Tests/CTestSupport"),

        .testTarget(name: "TaskCoordinationTests", dependencies: ["Locks", "TaskCoordination", "WebImageTesting"]),
        .testTarget(name: "EventLoopsTests", dependencies: ["EventLoops", "WebImageTesting"]),
        .testTarget(
            name: "HTTPTransportTests",
            dependencies: [
                "Locks", "HTTPTransport", "HTTPLoaders", "EventLoops", "TaskCoordination", "WebImageTesting",
            ]),
        .testTarget(name: "HTTPTransportXMLTests", dependencies: ["HTTPTransportXML", "WebImageTesting"]),
        .testTarget(name: "HTTPCachingTests", dependencies: ["HTTPCaching", "HTTPTransport", "WebImageTesting"]),
        .testTarget(
            name: "RawProxyTests",
            dependencies: ["Locks", "raw-proxy", "HTTPCaching", "HTTPTransport", "WebImage", "WebImageTesting"]),
        .testTarget(
            name: "ImageCodingTests",
            dependencies: ["Locks", "ImageCoding", "WebImageTesting", "Scenes", "CLibwebp"],
            exclude: ["Fixtures", "Golden"]),
        .testTarget(
            name: "WebImageTests",
            dependencies: [
                "Locks", "WebImage", "SDWebImageCache", "SharedStores", "HTTPCaching", "HTTPTransport", "HTTPLoaders",
                "WebImageTesting",
            ]),
        .testTarget(name: "WebImageBindingTests", dependencies: ["Locks", "WebImageBinding", "WebImageTesting"]),
        .testTarget(
            name: "RedisStoreTests",
            dependencies: ["RedisStore", "SharedStores", "WebImage", "EventLoops", "WebImageTesting"]),
        .testTarget(
            name: "ObjectStoreTests",
            dependencies: [
                "Locks", "ObjectStore", "SharedStores", "WebImage", "HTTPTransport", "HTTPLoaders", "WebImageTesting",
                "COpenSSL",
            ]),
        .testTarget(
            name: "FetchTests",
            dependencies: ["fetch", "HTTPTransport", "HTTPLoaders", "WebImage", "WebImageTesting", "ImageCoding"]),
        .testTarget(
            name: "ImageServerTests",
            dependencies: [
                "Locks", "ImageServer", "ObjectStore", "WebImage", "HTTPTransport", "ImageCoding", "TaskCoordination",
                "SignedAddresses", "WebImageTesting",
            ]),
        .testTarget(name: "SignedAddressesTests", dependencies: ["SignedAddresses"]),
        .testTarget(
            name: "ThumbnailServiceTests", dependencies: ["thumbnail-service", "HTTPTransport", "WebImageTesting"]),
        .testTarget(name: "GalleryTests", dependencies: ["gallery", "ImageCoding", "WebImageTesting", "Scenes"]),
        .testTarget(name: "LessonsTests", dependencies: ["lessons", "TaskCoordination", "WebImageTesting"]),
        .testTarget(name: "WebImageTestingTests", dependencies: ["WebImageTesting", "HTTPTransport"]),
    ],
    cLanguageStandard: .gnu11
)

/// One set of settings for every Swift target.
var settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]

// A warning fails the build where it is checked, and only there: a newer compiler may warn about what this one accepts.
if Context.environment["CI"] != nil { settings.append(.treatAllWarnings(as: .error)) }

// The thread sanitizer cannot see the standard library's futex-based `Mutex` on Linux; see `Locks/Mutex.swift`.
if Context.environment["THREAD_SANITIZER"] != nil { settings.append(.define("THREAD_SANITIZER")) }

// C stays out of the way of who reads Swift.
for target in package.targets where target.name.hasPrefix("C") && target.path == nil {
    target.path = "Sources/C/\(target.name)"
}

// Every suite has the traits and the functions of ours.
for target in package.targets where target.type == .test { target.dependencies.append("TestSupport") }

for target in package.targets where ![.system, .plugin].contains(target.type) && !target.name.hasPrefix("C") {
    target.swiftSettings = settings
}
