// SPDX-License-Identifier: MIT
import PlatformBasics
import WebImage

/// One picture to fetch, also when several lines name it.
struct Job: Sendable {
    /// The URL or the path as given; for a picture of a folder, its path.
    let text: String
    /// The number of lines that name it.
    var count = 1
    /// The cache key of the picture when it is not the URL.
    var cacheKey: String?
    /// The picture when it is on this machine.
    var local: LocalPicture?

    /// The longest accepted input, in bytes.
    static let inputLimit = 100_000_000

    /// The pictures of the command line and of its input files, in order, equal ones once.
    ///
    /// - Throws: ``UsageError`` when an input cannot be read or holds no URL.
    static func list(_ options: Options) throws(UsageError) -> [Job] {
        var words = options.urls
        for input in options.inputs { words += urls(in: try contents(of: input)) }
        if words.isEmpty, !options.inputs.isEmpty { throw UsageError(message: "no URL in the input") }
        if words.contains("-"), options.inputs.contains("-") {
            throw UsageError(message: "- and --input - both need standard input; leave one out")
        }
        var texts: [String] = []
        for word in words { texts += try LocalPicture.expanded(word) }
        var jobs = merging(texts)
        for index in jobs.indices { jobs[index].local = try local(jobs[index].text, options) }
        guard options.file == nil || jobs.count == 1 else {
            throw UsageError(message: "--output takes one picture, not \(jobs.count); --out takes a folder for them")
        }
        return jobs
    }

    /// The lines that hold a URL: not empty, and no `#` in front.
    static func urls(in bytes: [UInt8]) -> [String] {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let start = bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
        return bytes[start...].split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
            .map { String(decoding: $0, as: UTF8.self).trimmed }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }

    static func merging(_ texts: [String]) -> [Job] {
        var jobs: [Job] = []
        // By bytes: strings with different bytes may be equal, and lead to different addresses.
        var places: [[UInt8]: Int] = [:]
        for text in texts {
            let bytes = Array(text.utf8)
            if let place = places[bytes] {
                jobs[place].count += 1
            } else {
                places[bytes] = jobs.count
                jobs.append(Job(text: text))
            }
        }
        return jobs
    }

    private static func local(_ text: String, _ options: Options) throws(UsageError) -> LocalPicture? {
        guard text == LocalPicture.inputWord else { return LocalPicture.path(in: text).map { .file($0) } }
        let limit = options.maximumBytes ?? ImageManager.Configuration().downloader.maximumByteCount
        do throws(SystemError) {
            return .input(try StandardStream.input.read(upTo: limit))
        } catch {
            throw UsageError(message: "cannot read standard input: \(error.message)")
        }
    }

    private static func contents(of input: String) throws(UsageError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try input == "-" ? StandardStream.input.read(upTo: inputLimit) : read(input)
        } catch {
            throw UsageError(message: "cannot read \(input.printable): \(error.message)")
        }
        guard bytes.count <= inputLimit else {
            throw UsageError(message: "\(input.printable) has more than \(inputLimit) bytes; give it in parts")
        }
        return bytes
    }

    private static func read(_ path: String) throws(SystemError) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last }
        defer { close(descriptor) }
        return try StandardStream(descriptor: descriptor).read(upTo: inputLimit)
    }
}
