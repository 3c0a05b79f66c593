// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import WebImage

/// Loads URLs, all at once, with a configuration that `fetch` has no options for.
///
/// Prints a line for each in the order in which they end: milliseconds since the start, the code of the error or `ok`,
/// the URL, and the message.
struct LoadAttack {
    private var configuration = ImageManager.Configuration()
    private var headers = HTTPHeaders()
    private var urls: [String] = []

    init(_ words: [String]) {
        configuration.disk = nil
        configuration.failureLifetime = .zero
        var allowed: [IPNetwork] = []
        var words = words[...]
        while let word = words.popFirst() {
            guard word.hasPrefix("--") else {
                urls.append(word)
                continue
            }
            guard let value = words.popFirst() else { loss("\(word) needs a value") }
            switch word {
            case "--allow": IPNetwork(value).map { allowed.append($0) }
            case "--proxy": configuration.transport.proxy = URL(string: value)
            case "--header":
                let parts = value.split(separator: "=", maxSplits: 1).map(String.init)
                headers[parts[0]] = parts[1]
            case "--timeout": configuration.transport.totalTimeout = .milliseconds(Int(Double(value)! * 1000))
            case "--concurrency": configuration.downloader.maximumConcurrentDownloads = Int(value)!
            case "--cache": configuration.disk = .init(folder: value)
            case "--cache-limit": configuration.disk?.maximumByteCount = Int(value)!
            default: loss("unknown option \(word)")
            }
        }
        configuration.transport.addressPolicy = .publicInternet(allowing: allowed)
    }

    func run() async {
        let (clock, start) = (ContinuousClock(), ContinuousClock().now)
        await withImageManager(configuration) { manager in
            await withTaskGroup(of: String.self) { group in
                for url in urls {
                    group.addTask {
                        let outcome = await outcome(of: url, with: manager)
                        return "\((clock.now - start) / .milliseconds(1)) \(outcome)"
                    }
                }
                for await line in group { print(line) }
            }
        }
    }

    private func outcome(of text: String, with manager: ImageManager) async -> String {
        guard let url = URL(string: text) else { return "noURL \(text)" }
        var request = ImageRequest(url)
        request.headers = headers
        if configuration.disk != nil { request.cacheKey = url.path }
        do {
            _ = try await manager.encodedImage(for: request)
            return "ok \(text)"
        } catch let error as ImageLoadError {
            return "\(error.code) \(text) \(error.reason)"
        } catch {
            return "error \(text) \(error)"
        }
    }
}
