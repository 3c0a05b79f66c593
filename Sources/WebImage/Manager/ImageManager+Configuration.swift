// SPDX-License-Identifier: MIT
public import HTTPCaching
public import HTTPTransport
public import ImageCoding
import PlatformBasics

extension ImageManager {
    /// The parts of an ``ImageManager``, and its limits.
    public struct Configuration: Sendable {
        /// What the memory cache may hold. 15 % of the memory the process may use by default, at most 768 MB.
        public var memory = MemoryLimits()
        /// How the memory cache learns that memory is short, and gives it back in steps. Once a second while it holds
        /// something, by default; `nil` for never.
        public var memoryWatch: MemoryWatch? = MemoryWatch()
        /// The disk cache, `nil` for none. A folder in the user's cache directory by default.
        ///
        /// Without one, the memory cache keeps the files of originals beside the pictures, so that another variant of a
        /// picture needs no second transfer.
        public var disk: DiskCache.Configuration? = .init()
        /// The downloader's limits.
        public var downloader = ImageDownloader.Configuration()
        /// The transport's limits and policies. The public internet only, by default. A body is limited by the
        /// downloader alone by default; where both limit it, the smaller limit counts.
        public var transport = HTTPClient.Configuration.limitedByDownloader
        /// What is put around the transport, such as `TransferRules()` of the module `HTTPLoaders`: retries, resumed
        /// bodies and rates. Nothing by default.
        public var transferRules: (any HTTPLoaderMaking)?
        /// The formats that can be read and written. All built-in ones by default.
        public var coders = ImageCoders.default
        /// The largest pictures that are decoded.
        public var limits = ImageLimits()
        /// How many pictures are decoded, transformed or encoded at once. At least 1; a smaller number counts as 1. One
        /// per core by default.
        public var processingWidth = ProcessorCount.available
        /// The largest still picture, in pixels, that is decoded in its flight's task: that takes less time than waking
        /// a thread. Files of more than 4 KiB are always decoded on a thread. 4,096 by default; 0 sends every picture
        /// to the threads.
        public var maximumInlinePixelCount = 4_096
        /// The most bytes that all frames of an animation together may take for them to be decoded at once. Those of a
        /// larger animation are decoded when they are asked for, so that a long one costs the memory of a few frames.
        /// 8 MiB by default; 0 holds no animation, and ``ImageRequest/allFrames`` holds any within the limits.
        public var maximumHeldAnimationByteCount = 8 << 20
        /// The largest number of bytes that all pictures together take while they are decoded, transformed or encoded,
        /// with the files that they are made from. Work waits for its share; work that would take more alone is
        /// refused. A third of the memory the process may use by default.
        ///
        /// A file counts from its first byte until its last load has ended. While files hold a quarter of this memory,
        /// or twice as many pictures as ``processingWidth`` wait for a thread that are as urgent, no download begins
        /// but one at a time, and none when both are so; the transfers under way wait for room for their next bytes.
        /// The oldest of these always goes on, and one picture may always be made, so work never waits in a circle. One
        /// file and one picture may exceed the memory.
        public var maximumProcessingByteCount = MemoryBudget.defaultMaximumProcessingByteCount
        /// How far the threads for pictures give way to other threads of the machine, 0 to 19 as for `nice`. 0 by
        /// default; on a machine that is always busy with other work, a higher number makes loads take several times as
        /// long.
        public var processingNiceness = 0
        /// Whether ``ImageManager/encodedImage(for:as:onProgress:)`` keeps the decoded picture in memory, beside its
        /// file. `false` by default: a program that only sends files would fill its memory with pixels.
        public var keepsPicturesOfFiles = false
        /// How many pictures may wait for memory or a thread before loads are refused with `.overloaded`. 10,000 by
        /// default.
        public var maximumProcessingQueueLength = 10_000
        /// How long a load that cannot succeed is remembered: a missing picture, or a file that is not a picture. The
        /// origin is not asked meanwhile; what the caches hold is used. One minute by default; zero remembers nothing.
        public var failureLifetime: Duration = .seconds(60)
        /// What HTTP's rules are asked for requests with ``CachePolicy/http``, which other requests do not ask. The
        /// rules of a shared cache by default, because the pictures of a manager answer every caller: `private` content
        /// is not kept. `.private` suits a program with one user.
        public var cacheRules = HTTPCacheRules.shared
        /// How many such loads are remembered. 10,000 by default.
        public var failureCapacity = 10_000
        /// The largest number of bytes that wait to be written to disk. Beyond it, content is not written: it is
        /// counted in ``LoadCounters/droppedWrites``, told as an activity, and the disk's `onWarning` is called once. A
        /// sixteenth of the memory the process may use by default, at most 256 MB.
        public var maximumWriteByteCount = MemoryBudget.defaultMaximumWriteByteCount
        /// What the disk keeps of transformed pictures.
        public var variantStorage = VariantStorage()
        /// What the program decides about every load. Nothing by default.
        public var hooks = Hooks()
        /// How long running loads and pending writes may take at an end without a grace time of its own: after a
        /// cancelled ``ImageManager/run()``, and after ``withImageManager(_:shutdownWithin:_:)``. 10 seconds by
        /// default.
        public var shutdownGrace: Duration = .seconds(10)

        /// Creates a configuration with the defaults.
        public init() {}
    }
}

/// What the disk keeps of transformed pictures. Files that ``ImageManager/encodedImage(for:as:onProgress:)`` makes are
/// kept as they are.
public struct VariantStorage: Sendable, Hashable {
    /// The largest picture that is kept, in pixels; larger ones are made again from the original, which is cheaper than
    /// reading them. Zero keeps none. One megapixel by default.
    public var maximumPixelCount: Int
    /// The format. PNG by default, which is lossless.
    public var format: EncodedFormat
    /// The format of pictures in which no pixel may be transparent; `nil`, the default, for ``format``.
    ///
    /// `.jpeg()` makes their files smaller. What comes from disk then differs a little from what came from memory.
    public var opaqueFormat: EncodedFormat?

    /// Creates a value.
    public init(
        maximumPixelCount: Int = 1_000_000, format: EncodedFormat = .png, opaqueFormat: EncodedFormat? = nil
    ) {
        self.maximumPixelCount = maximumPixelCount
        self.format = format
        self.opaqueFormat = opaqueFormat
    }
}

extension EncodedFormat {
    /// The format for a picture that a program stores without naming one.
    static func fitting(_ image: DecodedImage) -> EncodedFormat {
        image.frameCount > 1 ? .apng : image.hasAlpha ? .png : .jpeg(quality: 90)
    }
}

/// The number of cores that this process may use.
public enum ProcessorCount {
    /// The number of cores that the operating system lets this process use; at least 1.
    public static var available: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }
}

extension HTTPClient.Configuration {
    /// The defaults, but for the limit of a body.
    fileprivate static var limitedByDownloader: Self {
        var configuration = Self()
        configuration.maximumBodyByteCount = .max
        return configuration
    }
}
