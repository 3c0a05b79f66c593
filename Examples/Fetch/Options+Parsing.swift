import Foundation
import WebImage

extension Options {
    /// - Throws: ``UsageError`` with a message that names the word that is wrong.
    init(parsing words: [String]) throws(UsageError) {
        var words = words[...]
        var quality = 80
        var formatName = "original"
        var onlyURLs = false
        while let word = words.popFirst() {
            guard !onlyURLs, word.hasPrefix("-"), word != "-" else {
                urls.append(word)
                continue
            }
            switch word {
            case "--": onlyURLs = true
            case "--resize": resize = try Self.resizing(Self.value(of: word, &words))
            case "--format": formatName = try Self.value(of: word, &words)
            case "--quality": quality = try Self.number(word, &words, in: 1...100)
            case "--out": output = try Self.value(of: word, &words)
            case "--cache": cache = try Self.value(of: word, &words)
            case "--no-cache": usesCache = false
            case "--refresh": refreshes = true
            case "--input": inputs.append(try Self.value(of: word, &words))
            case "--concurrency": concurrency = try Self.number(word, &words, in: 1...1_000)
            case "--timeout": timeout = try Self.seconds(word, &words)
            case "--max-bytes": maximumBytes = try Self.number(word, &words, in: 1...Int.max)
            case "--max-pixels": maximumPixels = try Self.number(word, &words, in: 1...Int.max)
            case "--allow-private": allowsPrivate = true
            case "--insecure": isInsecure = true
            case "--json": writesJSON = true
            case "--quiet": isQuiet = true
            case "--help", "-h": wantsHelp = true
            default: throw UsageError(message: "unknown option \(word.printable)")
            }
        }
        format = try Self.format(named: formatName, quality: quality)
    }

    private static func value(
        of option: String, _ words: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        // A folder may be called `--json`, but a forgotten value is more common. `./--json` names such a folder.
        guard let value = words.popFirst(), !value.isEmpty, !value.hasPrefix("--") else {
            throw UsageError(message: "\(option) needs a value")
        }
        return value
    }

    private static func number(
        _ option: String, _ words: inout ArraySlice<String>, in range: ClosedRange<Int>
    ) throws(UsageError) -> Int {
        let text = try value(of: option, &words)
        guard let number = Int(text), range.contains(number) else {
            throw UsageError(
                message:
                    "\(option) takes a whole number from \(range.lowerBound) to \(range.upperBound), not \(text.printable)"
            )
        }
        return number
    }

    private static func seconds(_ option: String, _ words: inout ArraySlice<String>) throws(UsageError) -> Duration {
        let text = try value(of: option, &words)
        guard let seconds = Double(text), seconds > 0, seconds <= 86_400 else {
            throw UsageError(message: "\(option) takes a number of seconds up to 86400, not \(text.printable)")
        }
        return .seconds(seconds)
    }

    private static func resizing(_ text: String) throws(UsageError) -> ResizeTransformer {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let sides = parts[0].split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard let mode = parts.count == 1 ? .fit : ResizeTransformer.Mode(rawValue: String(parts[1])),
            sides.count == 2, let width = sides[0], let height = sides[1],
            (1...65_500).contains(width), (1...65_500).contains(height)
        else {
            throw UsageError(
                message: "--resize takes WxH or WxH:fit, WxH:fill, WxH:stretch, not \(text.printable)")
        }
        return .resize(to: PixelSize(width: width, height: height), mode: mode)
    }

    private static func format(named name: String, quality: Int) throws(UsageError) -> OutputFormat {
        switch name {
        case "original": .original
        case "jpeg", "jpg": .jpeg(quality: quality)
        case "png": .png
        case "gif": .gif
        case "webp": .webp(quality: quality)
        default: throw UsageError(message: "--format takes original, jpeg, png, gif or webp, not \(name.printable)")
        }
    }
}
