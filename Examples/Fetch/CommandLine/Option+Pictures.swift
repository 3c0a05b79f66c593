// SPDX-License-Identifier: MIT
import PlatformBasics
import WebImage

extension Option {
    static let pictures = Group(
        title: "Pictures",
        options: [
            Option(
                "resize", nil, "WxH[:MODE]",
                help: """
                    Shrink to within W by H pixels, with :cover to cover them, or to exactly W by H: by cutting with \
                    :fill, by distorting with :stretch. Wx or xH limits one side. Nothing is enlarged.
                    """
            ) { options, text throws(UsageError) in options.resize = try Resize(text) },
            Option("linear", nil, help: "Resize in linear light, which keeps the brightness of fine patterns.") {
                $0.resizesLight = true
            },
            Option(
                "format", nil, "FORMAT", .words(["original", "jpeg", "png", "gif", "webp"]),
                help: """
                    Write original, jpeg, png, gif or webp. Left out, the name of the file decides; original keeps the file \
                    as it came, and is what a name that says nothing gets.
                    """
            ) { options, text throws(UsageError) in
                options.formatName = text
                options.format = try OutputFormat.named(text)
            },
            Option("apply", nil, "EFFECT", help: "Change the picture, in the order given: \(Effect.names).") {
                options, text throws(UsageError) in
                options.effects.append(try Effect(text).transformer)
            },
            Option(
                "watermark", nil, "PICTURE", .file, help: "Draw the picture of this URL or path at the bottom right."
            ) {
                options, text throws(UsageError) in
                let file = LocalPicture.path(in: text).flatMap { try? LocalPicture.file($0).address() }
                guard let url = file ?? URL(string: text), file != nil || url.host != nil else {
                    throw UsageError(message: "--watermark takes a URL or the path of a picture, not \(text.printable)")
                }
                options.effects.append(.watermark(ImageRequest(url), margin: 8))
            },
            Option(
                "fail-on", nil, "DAMAGE", .words(Reading.damagePolicies.map(\.name)),
                help: """
                    Which damage of a file is a failure: truncated, where pixels are missing (the default), any-damage, \
                    or never, which draws what is there. What is wrong with a picture is told with it.
                    """
            ) { options, text throws(UsageError) in
                options.failOn = try Reading.damagePolicy(text, of: "--fail-on")
            },
            Option("or-first-frame", nil, help: "An animation beyond the limits of work gives its first frame.") {
                $0.fallsBackToFirstFrame = true
            },
            Option("max-pixels", nil, "N", help: "The most pixels held of a picture at once (50M).") {
                options, text throws(UsageError) in
                options.maximumPixels = try Reading.count(text, of: "--max-pixels")
            },
        ])

    static let files = Group(
        title: "Files",
        options: [
            Option("out", nil, "DIR", .folder, help: "The folder of the pictures (pictures).") { $0.folder = $1 },
            Option(
                "output", "o", "FILE", .file,
                help: "Write the one picture to this file, in the format of its name, or with - to standard output."
            ) { $0.file = $1 },
            Option(
                "name", nil, "TEMPLATE",
                help: """
                    Name files by this template, with {stem} {width} {height} {format} {hash}. By default \
                    {stem}-{hash}.{format}, with the size after the stem when --resize is given.
                    """
            ) { options, text throws(UsageError) in options.name = try NameTemplate(text) },
            Option("contact-sheet", nil, "FILE", .file, help: "Write a picture of all pictures: png, jpg or webp.") {
                $0.contactSheet = $1
            },
            Option(
                "force", "f",
                help: "Replace files that hold something else. Without it they stay, and their pictures fail."
            ) { $0.overwrites = true },
            Option(
                "input", "i", "FILE", .file,
                help: """
                    Read a URL or path per line, with - from standard input; empty lines and lines with # are skipped.
                    """
            ) { $0.inputs.append($1) },
        ])

    static let caching = Group(
        title: "Cache",
        options: [
            Option(
                "cache", nil, "DIR", .folder,
                help: "Where originals and variants are kept (~/.cache/swift-web-image/fetch)."
            ) { $0.cache = $1 },
            Option("no-cache", nil, help: "Keep nothing on disk between runs.") { $0.usesCache = false },
            Option("refresh", nil, help: "Ask the origin again, even for what is cached.") { $0.refreshes = true },
            Option("cache-info", nil, help: "Print what the cache holds, and end.") { $0.action = .cache(.info) },
            Option(
                "cache-list", nil, help: "Print a line for each entry: size, age, media type, and key; and end."
            ) { $0.action = .cache(.list) },
            Option(
                "cache-verify", nil, help: "Read every entry, name damaged files, and end. Removes nothing."
            ) { $0.action = .cache(.verify(removesDamages: false)) },
            Option("cache-repair", nil, help: "Verify the cache, remove the damaged files, and end.") {
                $0.action = .cache(.verify(removesDamages: true))
            },
            Option(
                "cache-trim", nil, "SIZE", help: "Remove the least useful files until SIZE bytes are left, and end."
            ) { options, text throws(UsageError) in
                options.action = .cache(.trim(byteCount: try Reading.count(text, of: "--cache-trim", from: 0)))
            },
            Option("cache-clear", nil, help: "Empty the cache, and end.") { $0.action = .cache(.clear) },
        ])
}
