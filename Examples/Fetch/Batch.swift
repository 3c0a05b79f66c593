import Foundation
import WebImage

/// Fetches a list of URLs: a window of loads at once, one outcome each.
struct Batch {
    private let options: Options
    private let jobs: [Job]
    private let screen: Screen
    var configuration: ImageManager.Configuration

    init(_ options: Options, _ jobs: [Job], _ screen: Screen) {
        self.options = options
        self.jobs = jobs
        self.screen = screen
        configuration = ImageManager.Configuration(options) { screen.warn($0) }
    }

    /// - Returns: The exit status.
    /// - Throws: `CancellationError`; ``UsageError`` when the output folder cannot be made.
    func run() async throws -> Int32 {
        let folder: OutputFolder
        do throws(SystemError) {
            folder = try OutputFolder(options.output)
        } catch {
            throw UsageError(message: "cannot write to \(options.output.printable): \(error.message)")
        }
        screen.begin(count: jobs.reduce(0) { $0 + $1.count })
        defer { screen.end() }
        let failed = try await withImageManager(configuration) { manager in
            try await fetchAll(with: manager, into: folder)
        }
        try Task.checkCancellation()
        return failed == 0 && !screen.hasLostLines ? 0 : 1
    }

    /// Twice as many loads as downloads, so that pictures are decoded while others arrive.
    private func fetchAll(with manager: ImageManager, into folder: OutputFolder) async throws -> Int {
        try await withThrowingTaskGroup(of: (Job, Outcome).self) { group in
            var waiting = jobs.makeIterator()
            func startNext() {
                guard let job = waiting.next() else { return }
                group.addTask { (job, try await outcome(of: job, with: manager, into: folder)) }
            }
            for _ in 0..<(2 * options.concurrency) { startNext() }
            var failed = 0
            while let (job, outcome) = try await group.next() {
                screen.show(outcome)
                for _ in 1..<job.count { screen.show(outcome.again) }
                if !outcome.succeeded { failed += job.count }
                startNext()
            }
            return failed
        }
    }

    private func outcome(of job: Job, with manager: ImageManager, into folder: OutputFolder) async throws -> Outcome {
        let clock = ContinuousClock()
        let start = clock.now
        let result: Result<Outcome.Picture, Outcome.Failure>
        do {
            result = .success(try await fetch(job, with: manager, into: folder))
        } catch let error as CancellationError {
            throw error
        } catch {
            result = .failure(Outcome.Failure(error))
        }
        let milliseconds = Int((clock.now - start) / .milliseconds(1))
        return Outcome(url: job.text, milliseconds: milliseconds, result: result)
    }

    private func fetch(
        _ job: Job, with manager: ImageManager, into folder: OutputFolder
    ) async throws -> Outcome.Picture {
        let url = try job.url(upTo: configuration.transport.maximumURLByteCount)
        var request = ImageRequest(url)
        request.cacheKey = job.cacheKey
        if let resize = options.resize { request.transformers = [resize] }
        if options.refreshes { request.cachePolicy = .revalidate }
        let bar = screen.bar(for: url.absoluteString)
        defer { bar.remove() }
        let file = try await manager.encodedImage(for: request, as: options.format) { bar.update($0) }
        let path = try await folder.write(
            file.bytes, as: FileName.name(for: job.cacheKey ?? job.text, url: url, format: file.format))
        return Outcome.Picture(
            source: file.source, format: file.format, width: file.width, height: file.height,
            frames: file.frameCount, bytes: file.bytes.count, file: path)
    }
}

extension Job {
    /// - Throws: ``Outcome/Failure`` when the text is not a URL, or is longer than the transport accepts.
    fileprivate func url(upTo byteLimit: Int) throws(Outcome.Failure) -> URL {
        guard text.utf8.count <= byteLimit else {
            throw Outcome.Failure(
                code: "invalidURL",
                message: "The URL has \(text.utf8.count) bytes, beyond the limit of \(byteLimit).")
        }
        // Bytes that are not UTF-8 have become this character, so the address would be another one.
        guard !text.unicodeScalars.contains("\u{FFFD}") else {
            throw Outcome.Failure(code: "invalidURL", message: "This is not UTF-8; escape the URL with %.")
        }
        guard let url = URL(string: text) else {
            throw Outcome.Failure(code: "invalidURL", message: "This is not a URL.")
        }
        return url
    }
}
