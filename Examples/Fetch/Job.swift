import Foundation

/// One URL to fetch: the text as given, and the name under which its picture is kept when that is not the URL.
struct Job: Sendable {
    let text: String
    var cacheKey: String?

    /// The URLs of the command line and of its input files, in order.
    ///
    /// - Throws: ``UsageError`` when an input cannot be read.
    static func list(_ options: Options) throws -> [Job] {
        var texts = options.urls
        for input in options.inputs {
            let data: Data?
            if input == "-" {
                data = FileHandle.standardInput.readDataToEndOfFile()
            } else {
                data = FileManager.default.contents(atPath: input)
            }
            guard let data else { throw UsageError(message: "cannot read \(input)") }
            texts += String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
                .map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { !$0.isEmpty && !$0.hasPrefix("#") }
        }
        if texts.isEmpty, !options.inputs.isEmpty { throw UsageError(message: "no URL in the input") }
        return texts.map { Job(text: $0) }
    }
}
