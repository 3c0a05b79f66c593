// SPDX-License-Identifier: MIT
import WebImageBinding

/// An error in the command line or in a script.
struct UsageError: Error {
    let message: String
}

/// The options of the command line.
struct Options {
    var urls: [String] = []
    var graphics: Graphics?
    var script: String?
    var size: PixelSize?
    var png: String?
    var gif: String?
    var cast: String?
    var isLive = false
    var isTimed = false
    var count = 500
    var pictureSize: PixelSize?
    var allowsPrivate = false
    var wantsHelp = false

    /// Whether the script's screens are kept with their times.
    var isRecorded: Bool { gif != nil || cast != nil }

    static let usage = """
        usage: gallery [options] [URL ...]

        Shows pictures in the terminal. With no URL they are generated, and served by this machine.

          --live                         begin with the board: 1,000 callers ask for ten pictures
          --graphics kitty|sixel|octants|quadrants|blocks
                                         draw with this; by default with the best that the terminal says it can
          --script FILE|-                play the keys in a file, without a terminal, and print the last screen
          --size COLSxROWS               the size of the script's window (100x37)
          --png FILE                     write the script's last screen as a picture
          --gif FILE                     write the script's screens as an animation
          --cast FILE                    write what the script sends to its terminal as an asciicast
          --timing                       print how long the script held the main actor, with 2-megapixel pictures
          --count N                      how many pictures are generated (500)
          --picture-size WxH             how large they are (720x480)
          --allow-private                allow loopback and private addresses
          --version                      print the version
          --help                         print this

        Keys: arrows or h j k l, page up and down, home, end, g and a number; enter zooms; r loads again; c clears
        memory and disk, m memory; p loading ahead; s a slow origin; b the board; ? shows the keys; q quits.
        """

    /// - Throws: ``UsageError`` with a message that names the word that is wrong.
    init(parsing words: [String]) throws(UsageError) {
        var words = words[...]
        while let word = words.popFirst() {
            switch word {
            case "--graphics": graphics = try Self.parsed(word, &words) { Graphics(rawValue: $0) }
            case "--script": script = try Self.parsed(word, &words) { $0 }
            case "--size": size = try Self.parsed(word, &words) { Self.size($0, limit: 1_000) }
            case "--png": png = try Self.parsed(word, &words) { $0 }
            case "--gif": gif = try Self.parsed(word, &words) { $0 }
            case "--cast": cast = try Self.parsed(word, &words) { $0 }
            case "--live": isLive = true
            case "--timing": isTimed = true
            case "--count": count = try Self.parsed(word, &words) { Int($0).flatMap { (1...65_536) ~= $0 ? $0 : nil } }
            case "--picture-size": pictureSize = try Self.parsed(word, &words) { Self.size($0, limit: 8_000) }
            case "--allow-private": allowsPrivate = true
            case "--help", "-h": wantsHelp = true
            case _ where word.hasPrefix("-"): throw UsageError(message: "unknown option \(word)")
            default: urls.append(word)
            }
        }
        guard script != nil || (png == nil && !isRecorded && !isTimed && size == nil) else {
            throw UsageError(message: "--png, --gif, --cast, --size and --timing go with --script")
        }
        guard !isTimed || !isRecorded else {
            throw UsageError(message: "--timing measures real time, --gif and --cast show the script's")
        }
    }

    private static func parsed<T>(
        _ option: String, _ words: inout ArraySlice<String>, _ parse: (String) -> T?
    ) throws(UsageError) -> T {
        guard let word = words.popFirst() else { throw UsageError(message: "\(option) needs a value") }
        guard let value = parse(word) else { throw UsageError(message: "\(option) does not take \(word)") }
        return value
    }

    /// `120x40`, each side from 2 to `limit`.
    static func size(_ text: String, limit: Int) -> PixelSize? {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1],
            (2...limit).contains(width), (2...limit).contains(height)
        else { return nil }
        return PixelSize(width: width, height: height)
    }
}
