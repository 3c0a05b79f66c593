// SPDX-License-Identifier: MIT
import Foundation
import WebImage
import WebImageTesting

/// Loads that are cancelled while a bomb is decoded must leave the threads to the next picture.
enum CancelAttack {
    /// Starts more bombs than there are threads, cancels them when the runner says so, then loads a small picture.
    static func run(bomb: String, small: String) async throws {
        guard let small = URL(string: small) else { return }
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        configuration.processingWidth = 2
        configuration.transport.addressPolicy = .unrestricted
        try await withImageManager(configuration) { manager in
            let loads = (0..<4).compactMap { URL(string: "\(bomb)?\($0)") }.map { url in
                Task { _ = try? await manager.image(for: ImageRequest(url)) }
            }
            await nextLine()
            for load in loads { load.cancel() }
            let (clock, start) = (ContinuousClock(), ContinuousClock().now)
            _ = try await manager.image(for: ImageRequest(small))
            print((clock.now - start) / .milliseconds(1))
        }
    }
}

/// A shutdown must return, whatever a caller's closure does.
enum ShutdownAttack {
    static func run(_ name: String) async throws {
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        configuration.transport.addressPolicy = .unrestricted
        let manager = ImageManager(configuration: configuration)
        let origin = try OriginServer.start()
        let picture = try ImageFactory.encoded(width: 32, height: 32, seed: 1)
        origin.respond(to: "/a", with: .ok(picture, type: "image/jpeg"))
        var request = ImageRequest(origin.url("/a"))
        let (hasBegun, mayEnd) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        request.modifier = RequestModifier(identity: name) { fields in
            hasBegun.continuation.yield()
            switch name {
            case "modifier": _ = await manager.shutdown(within: .milliseconds(200))
            case "for-ever": for await _ in mayEnd.stream { break }
            default: await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            }
            return fields
        }
        let loading = request
        let load = Task { _ = try? await manager.image(for: loading) }
        var begun = hasBegun.stream.makeAsyncIterator()
        await begun.next()
        if name == "cancelled" { load.cancel() }
        let grace = name == "for-ever" ? Duration.seconds(Int64.max) : .milliseconds(300)
        let ending = Task { await manager.shutdown(within: grace) }
        if name == "for-ever" {
            // The shutdown waits for the load, which ends once the shutdown has begun.
            while !(await isShutDown(manager)) { await Task.yield() }
            mayEnd.continuation.yield()
        }
        _ = await ending.value
        print("returned")
        exit(0)  // the load's closure may never return, and nothing is owed to it
    }

    private static func isShutDown(_ manager: ImageManager) async -> Bool {
        do {
            _ = try await manager.image(for: ImageRequest(URL(string: "file:///none")!))
            return false
        } catch {
            return (error as? ImageLoadError)?.code == .shutDown
        }
    }
}

/// Numbers as callers write them, and as they come from a query: each must be an error or a result, never a trap.
enum NumberAttack {
    static func run(_ name: String) async throws {
        let image = ImageFactory.picture(width: 32, height: 48, seed: 1)
        switch name {
        case "enlarge", "enlarge-fill", "narrow":
            let size = PixelSize(width: .max, height: name == "narrow" ? 1 : .max)
            let mode = name == "enlarge" ? ResizeTransformer.Mode.fit : .fill
            _ = try? ResizeTransformer.resize(to: size, mode: mode, allowsEnlarging: true).transform(image)
        case "duration":
            let frames = (0..<2).map { _ in
                DecodedImage.Frame(pixels: image.pixels, duration: .seconds(Int64.min))
            }
            let animation = try DecodedImage(width: 32, height: 48, frames: frames, hasAlpha: false)
            for format in [EncodedFormat.gif, .webp()] { _ = try? ImageCoders.default.encode(animation, as: format) }
        case "negative", "largest":
            let number = name == "negative" ? Int.min : .max
            let limits = ImageLimits(
                maximumPixelCount: number, maximumSide: number, maximumFrameCount: number,
                maximumAnimationPixelCount: number, maximumScanCount: number, maximumMetadataByteCount: number)
            let manager = ImageManager(
                configuration: configuration {
                    $0.limits = limits
                    $0.disk = nil
                    ($0.memory.maximumCost, $0.memory.maximumCount, $0.processingWidth) = (
                        number, number, min(number, 4)
                    )
                    ($0.maximumProcessingQueueLength, $0.maximumInlinePixelCount, $0.failureCapacity) = (
                        number, number, number
                    )
                    $0.downloader.maximumConcurrentDownloads = number
                    ($0.downloader.maximumQueueLength, $0.downloader.maximumByteCount) = (number, number)
                    ($0.transport.maximumConnections, $0.transport.maximumHeaderCount) = (number, number)
                    $0.transport.totalTimeout = .seconds(Int64(number))
                    $0.failureLifetime = .seconds(Int64(number))
                })
            _ = try? await manager.image(for: ImageRequest(URL(string: "http://127.0.0.1:9/")!))
            _ = await manager.shutdown(within: .seconds(1))
        default: loss("no such number: \(name)")
        }
        print("returned")
    }

    private static func configuration(
        _ body: (inout ImageManager.Configuration) -> Void
    ) -> ImageManager.Configuration {
        var configuration = ImageManager.Configuration()
        body(&configuration)
        return configuration
    }
}
