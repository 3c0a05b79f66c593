import Foundation
import WebImage

/// The options of the command line.
struct Options {
    var urls: [String] = []
    var resize: ResizeTransformer?
    var format: OutputFormat = .original
    var output = "pictures"
    var cache: String?
    var usesCache = true
    var refreshes = false
    var inputs: [String] = []
    var concurrency = 6
    var timeout: Duration?
    var maximumBytes: Int?
    var maximumPixels: Int?
    var allowsPrivate = false
    var isInsecure = false
    var writesJSON = false
    var isQuiet = false
    var wantsHelp = false

    static let usage = """
        usage: fetch [options] [URL …]

        Downloads pictures, checks that they decode, and writes them to a folder. With no URL it shows itself on a
        server that it starts on this machine, with generated pictures.

          --resize WxH[:fit|fill|stretch]            shrink to within W by H (fit, the default), or to exactly W by H by
                                                     cutting (fill) or distorting (stretch); nothing is enlarged
          --format original|jpeg|png|gif|webp        write this format; original keeps the file as it came
          --quality 1…100                            for jpeg and webp (80)
          --out DIR                                  where pictures go (pictures)
          --cache DIR                                where originals and variants are kept (~/.cache/swift-web-image/fetch)
          --no-cache                                 keep nothing on disk between runs
          --refresh                                  ask the origin again, even for what is cached
          --input FILE|-                             read a URL per line; empty lines and lines with # are skipped
          --concurrency N                            downloads at once (6)
          --timeout SECONDS                          longest time for one download (60)
          --max-bytes N                              largest body (100000000, less in small containers)
          --max-pixels N                             largest picture, width times height (50000000)
          --allow-private                            allow loopback and private addresses
          --insecure                                 accept any certificate
          --json                                     one JSON object per URL on standard output
          --quiet                                    print failures only
          --help                                     print this

        Exit status: 0 when every picture came, 1 when some failed, 2 for a wrong command line, 130 after Ctrl-C.
        """
}

/// An error in the command line.
struct UsageError: Error {
    let message: String
}
