// SPDX-License-Identifier: MIT
import PlatformBasics
import WebImage

/// The loads of one run: from a job to its outcome.
struct Loads: Sendable {
    private let options: Options
    private let urlByteLimit: Int
    private let manager: ImageManager
    private let heads: HeadRecorder
    private let destination: Destination
    private let screen: Screen
    private let sheet: SheetFile?

    init(
        _ options: Options, _ configuration: ImageManager.Configuration, _ manager: ImageManager,
        _ heads: HeadRecorder, _ destination: Destination, _ screen: Screen, _ sheet: SheetFile?
    ) {
        self.sheet = sheet
        self.options = options
        self.manager = manager
        self.heads = heads
        self.destination = destination
        self.screen = screen
        urlByteLimit = configuration.transport.maximumURLByteCount
    }

    /// - Throws: `CancellationError` only.
    func outcome(of job: Job) async throws -> Outcome {
        let clock = ContinuousClock()
        let start = clock.now
        let result: Result<Outcome.Picture, Outcome.Failure>
        do {
            result = .success(try await fetch(job))
        } catch let error as CancellationError {
            throw error
        } catch {
            result = .failure(Outcome.Failure(error))
        }
        let answer = job.local == nil ? URL(string: job.text).flatMap { heads.answer(to: $0) } : nil
        return Outcome(
            url: job.text, milliseconds: Int((clock.now - start) / .milliseconds(1)), answer: answer, result: result)
    }

    /// What the picture of a job is, without decoding it.
    ///
    /// - Throws: ``Outcome/Failure``, `CancellationError`.
    func info(of job: Job) async throws -> PictureInfo {
        do {
            let url = try job.url(upTo: urlByteLimit)
            return try await PictureInfo(manager.downloader.download(request(for: job, url)).bytes)
        } catch let error as ImageError {
            throw Outcome.Failure(ImageLoadError(code: .undecodable, message: error.message, url: nil, cause: error))
        } catch let error as ImageLoadError {
            throw Outcome.Failure(error)
        }
    }

    private func fetch(_ job: Job) async throws -> Outcome.Picture {
        let url = try job.url(upTo: urlByteLimit)
        let request = request(for: job, url)
        let bar = screen.bar(for: job.text)
        defer { bar.remove() }
        let original = try await manager.encodedImage(for: request, as: options.format) { bar.update($0) }
        let file = try await named(original, request)
        if let sheet {
            var small = request
            small.firstFrameOnly = true
            small.transformers.append(sheet.thumbnail)
            await sheet.place(try manager.image(for: small), of: job)
        }
        let painting = try await painting(of: request)
        let key = job.local?.key(url) ?? request.cacheKey ?? job.text
        let path = try await destination.write(file, key: key, url: job.local?.name ?? url)
        return Outcome.Picture(
            source: job.local == nil ? Outcome.Source(original) : .file, format: file.format, width: file.width,
            height: file.height, frames: file.frameCount, bytes: file.bytes.count, file: path,
            transfer: job.local == nil ? original.origin?.metrics : nil, damage: file.damage, painting: painting)
    }

    private func painting(of request: ImageRequest) async throws -> String? {
        guard let canvas = screen.canvas else { return nil }
        var small = request
        small.firstFrameOnly = true
        small.transformers.append(canvas.thumbnail)
        small.cacheWrites = .memory  // the next window has another size
        return try canvas.painting(of: await manager.image(for: small))
    }

    /// The picture in the format that its file's name says.
    private func named(_ original: EncodedImage, _ request: ImageRequest) async throws -> EncodedImage {
        guard let format = options.fileFormat, format.format != original.format else { return original }
        var request = request
        request.cachePolicy = .cacheFirst
        return try await manager.encodedImage(for: request, as: .encoded(format))
    }

    private func request(for job: Job, _ url: URL) -> ImageRequest {
        var request = ImageRequest(url)
        request.cacheKey = job.cacheKey
        request.transformers = options.transformers
        request.transformsAnimations = true
        request.failOn = options.failOn
        request.fallsBackToFirstFrame = options.fallsBackToFirstFrame
        request.keepsColors = options.encode.keptMetadata.contains(.colorProfile)
        if options.refreshes { request.cachePolicy = .revalidate }
        guard job.local == nil else {
            // A file may change without a sign of it.
            (request.cacheReads, request.cacheWrites) = (.memory, .memory)
            return request
        }
        guard !options.headers.isEmpty || options.user != nil else { return request }
        request.headers = options.headers
        request.transfer.credential = try? options.user.map(Reading.credential)
        // What an origin shows to this user is kept, but apart from what it shows to everyone.
        let fields = options.headers.map { "\($0.name.lowercased()): \($0.value)" } + [options.user ?? ""]
        request.cacheKey = "\(job.cacheKey ?? job.text) \(FileName.fingerprint(fields.joined(separator: "\n")))"
        return request
    }
}

extension Job {
    /// - Throws: ``Outcome/Failure`` when the text is neither a URL nor leads to a file, or is longer than the
    ///   transport accepts.
    fileprivate func url(upTo byteLimit: Int) throws(Outcome.Failure) -> URL {
        if let local { return try local.address() }
        guard text.utf8.count <= byteLimit else {
            throw Outcome.Failure(
                code: "invalidURL",
                message: "The URL has \(text.utf8.count) bytes, beyond the limit of \(byteLimit).")
        }
        // Bytes that are not UTF-8 have become this character, so the address would be another one.
        guard !text.unicodeScalars.contains("\u{FFFD}") else {
            throw Outcome.Failure(
                code: "invalidURL", message: "This is not UTF-8; escape a URL with %, or rename the file.")
        }
        guard let url = URL(string: text) else {
            throw Outcome.Failure(code: "invalidURL", message: "This is not a URL.")
        }
        return url
    }
}
