// SPDX-License-Identifier: MIT
import HTTPTransport
import PlatformBasics
import WebImage

/// What the command line asks for. ``Option/table`` has the words.
struct Options {
    /// What the command does.
    enum Action: Equatable {
        case fetch
        /// Prints what the pictures are.
        case info
        case help
        case version
        case manPage
        case completions(Shell)
        case cache(CacheAction)
        case serve(port: UInt16)
    }

    var action = Action.fetch
    var urls: [String] = []
    var inputs: [String] = []

    var resize: Resize?
    /// Whether the resize adds up light.
    var resizesLight = false
    /// Applied after the resize, in order.
    var effects: [any ImageTransforming] = []
    var format: OutputFormat = .original
    /// The word of `--format`.
    var formatName: String?
    /// The format that the names of the files say. A picture that comes in it stays as it came; `nil` when ``format``
    /// says what to write, or the names say nothing.
    var fileFormat: EncodedFormat?
    /// For a format that is not the original's.
    var encode = EncodeOptions()
    /// The file of all pictures in a grid.
    var contactSheet: String?
    /// The folder of the pictures; `nil` for the usual one.
    var folder: String?
    /// The one file to write; `-` for standard output.
    var file: String?
    var name: NameTemplate?
    var overwrites = false

    var cache: String?
    var usesCache = true
    var refreshes = false

    var headers: HTTPHeaders = [:]
    /// `NAME:PASSWORD`.
    var user: String?
    var proxy: URL?
    var proxyCredential: HTTPCredential?
    var retries = 0
    var concurrency = 6
    var timeout: Duration?
    var maximumBytes: Int?
    var maximumPixels: Int?
    /// Which damage of a file is a failure.
    var failOn = DamagePolicy.truncated
    /// Whether an animation beyond the limits gives its first frame instead of a failure.
    var fallsBackToFirstFrame = false
    var allowsPrivate = false
    var isInsecure = false

    /// Whether the terminal shows the pictures.
    var showsPictures = false
    var writesJSON = false
    var isQuiet = false
    var isVerbose = false

    /// The extension of the files, as far as the command line names them.
    var fileExtension: String? {
        guard let name = file ?? name?.ending, let dot = name.lastIndex(of: ".") else { return nil }
        return String(name[name.index(after: dot)...])
    }

    /// What is made of each picture.
    var transformers: [any ImageTransforming] {
        (resize.map { [$0.transformer(inLinearLight: resizesLight)] } ?? []) + effects
    }

    /// Whether the picture itself goes to standard output.
    var writesPicture: Bool { file == "-" }

    /// Whether pictures become files: those that are shown only where the command line says so.
    var writesFiles: Bool { !showsPictures || folder != nil || file != nil }
}

/// An error in the command line.
struct UsageError: Error {
    let message: String
}
