// SPDX-License-Identifier: MIT
import PlatformBasics

/// One URL to fetch, also when several lines name it.
struct Job: Sendable {
    /// The URL as given.
    let text: String
    /// The number of lines that name it.
    var count = 1
    /// The cache key of the picture when it is not the URL.
    var cacheKey: String?

    /// The longest accepted input, in bytes.
    static let inputLimit = 100_000_000

    /// The URLs of the command line and of its input files, in order, equal ones once.
    ///
    /// - Throws: ``UsageError`` when an input cannot be read or holds no URL.
    static func list(_ options: Options) throws(UsageError) -> [Job] {
        var texts = options.urls
        for input in options.inputs { texts += urls(in: try contents(of: input)) }
        if texts.isEmpty, !options.inputs.isEmpty { throw UsageError(message: "no URL in the input") }
        let jobs = merging(texts)
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
