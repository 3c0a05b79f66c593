// SPDX-License-Identifier: MIT
public import HTTPTransport
public import TaskCoordination

extension ImageDownloader {
    /// The limits of an ``ImageDownloader``, and the responses that it accepts.
    public struct Configuration: Sendable {
        /// How many transfers run at once. At least 1; a smaller number counts as 1. 6 by default. Fewer while a
        /// manager has enough files to decode; see ``ImageManager/Configuration/maximumProcessingByteCount``.
        public var maximumConcurrentDownloads = 6
        /// How many transfers of one host and port run at once. At least 1; a smaller number counts as 1. `nil` by
        /// default: an origin has half of the slots, rounded up, while transfers of others wait that are as urgent, and
        /// all of them otherwise.
        public var maximumConcurrentDownloadsPerHost: Int?
        /// The order of transfers of one origin and equal priority. First in, first out by default. Origins take turns.
        public var order: SlotOrder = .fifo
        /// How many transfers may wait before new ones are refused with `.overloaded`. 10,000 by default.
        public var maximumQueueLength = 10_000
        /// How long a transfer may wait for a slot before it ends with `.queueTimedOut`, in whole seconds. At least one
        /// second and at most a day; 5 minutes by default. Time in which a manager has enough files does not count.
        public var queueTimeout: Duration = .seconds(300)
        /// The largest body accepted, in bytes after decompression. A sixteenth of the memory the process may use by
        /// default, at most 100 MB.
        public var maximumByteCount = min(100_000_000, MemoryBudget.processLimit / 16)
        /// The status codes that carry a picture. 200 to 299 by default.
        public var acceptableStatusCodes: Range<Int> = 200..<300
        /// The media types accepted, compared without parameters; `nil` accepts any. `nil` by default, because origins
        /// mislabel pictures and the decoder looks at the bytes anyway.
        public var acceptableContentTypes: Set<String>?
        /// Fields sent with every request unless it brings its own. `Accept: image/*,*/*;q=0.8` by default.
        public var headers: HTTPHeaders = ["Accept": "image/*,*/*;q=0.8"]
        /// The least part of a body of known length between two reports of progress, 0 to 1. One percent by default.
        public var minimumProgressInterval = 0.01

        /// Creates a configuration with the defaults.
        public init() {}
    }
}
