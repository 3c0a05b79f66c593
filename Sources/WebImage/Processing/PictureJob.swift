// SPDX-License-Identifier: MIT
import ImageCoding
import TaskCoordination

/// All that is made of one original: a value that says what, not how far.
///
/// A job is a source, how it is decoded, and a set of outputs. An output is a chain of transformers with an end:
/// pixels, or a file. Loads that want something of one original put their outputs into one job:
///
///     load ─► JobTable: joins the job of its original, or makes one
///     JobRun: the object that does it, in one task at a time, on one thread
///       queued ─► planned ─► decoding ─► branching ─► over
///     JobQueue: gives the thread, then the memory, in one order
///     JobTree: decides what is next; a value without tasks
///
/// - *queued*: outputs join. The plan is made when a thread takes the job, so every output that came meanwhile is
///   part of it.
/// - *planned*: the base is chosen, the original decoded as small as serves every output (``JobBase``), and memory is
///   taken for the whole job at once. Loads that have said they will come count.
/// - *decoding*: an output that the base serves joins. One that needs a larger base begins the decode anew while less
///   than half of it is done; after that it is the next job of the original, and waits for the end of this decode.
/// - *branching*: steps and ends run one after the other, and each answer leaves as soon as it is made. Equal
///   beginnings of chains are made once. An output joins at the deepest picture that is still there.
/// - *over*: no output is left. Loads that are still announced find the base in a job that has given its thread back.
///
/// An output that leaves ends the step that no other needs; the last one ends the job.
///
/// The order within a job: depth first, so that pictures go early; at one picture ends before steps; then by priority,
/// by estimated cost, and by arrival. So a cheap answer does not wait for a dear one.
struct PictureJob: Sendable {
    /// Where the pixels come from.
    enum Source: Sendable {
        /// A file, which is decoded.
        case file(Original)
        /// A picture that memory holds.
        case picture(ImageResponse)
    }

    let source: Source
    let coders: ImageCoders
    /// How the file is decoded, apart from its size.
    let options: DecodeOptions
    /// The output that began the job. All others decode like it.
    let first: JobOutput

    /// Whether both sources have the same pixels, by what is known without reading them.
    func isOf(_ other: Source) -> Bool {
        switch (source, other) {
        case (.file(let own), .file(let other)): own.isSameContent(as: other)
        case (.picture(let own), .picture(let other)): own.isSameContent(as: other)
        default: false
        }
    }
}

/// What one load wants of an original. An object: a load that comes twice has two.
final class JobOutput: Sendable {
    let request: ImageRequest
    /// The format of the file; `nil` for pixels.
    let end: OutputFormat?
    /// The transformers, without pipelines around them.
    let steps: [any ImageTransforming]
    /// The resize that a decoder does at its best; `nil` for none.
    let leading: ResizeTransformer?
    /// The transformers after it.
    let rest: [any ImageTransforming]
    /// Whether the picture only shows that the file is one. Then one frame is enough.
    let isProof: Bool
    let priority: UInt8
    /// The wish of the load that asks.
    let wish: ObjectIdentifier?
    let answer = OneShot<Result<JobProduct, any Error>>()

    init(
        _ request: ImageRequest, _ end: OutputFormat? = nil, isProof: Bool = false, wish: ObjectIdentifier? = nil
    ) {
        (self.request, self.end, self.isProof, self.wish) = (request, end, isProof, wish)
        priority = Task.currentPriority.rawValue
        (leading, rest) = ResizeTransformer.leading(request.transformers)
        steps = TransformerPipeline(request.transformers).steps
    }
}

/// What a job answers an output with.
final class JobProduct: Sendable {
    /// A file that was made of a picture.
    struct File: Sendable {
        let format: EncodedFormat
        let bytes: [UInt8]
    }

    let properties: ImageProperties
    /// What tells the content of the original from any other; `nil` when it is not known.
    let generation: ContentGeneration?
    /// The picture, or the error of a transformer. An error of the decoder is one of the whole job.
    let picture: Result<DecodedImage, any Error>
    /// The file, or the error of its encoder; `nil` for pixels.
    let file: Result<File, any Error>?
    /// The picture's share of the memory; `nil` for a picture that is too small to count.
    let share: PictureShare?
    let decodeTook: Duration
    /// `nil` when nothing was transformed.
    let transformTook: Duration?

    /// What the decoder has found wrong with the original.
    var damage: ImageDamage { (try? picture.get())?.damage ?? .notExamined }

    init(
        _ properties: ImageProperties, _ generation: ContentGeneration?, _ picture: Result<DecodedImage, any Error>,
        _ file: Result<File, any Error>? = nil, _ share: PictureShare? = nil, decodeTook: Duration,
        transformTook: Duration? = nil
    ) {
        (self.properties, self.generation, self.picture, self.file) = (properties, generation, picture, file)
        (self.share, self.decodeTook, self.transformTook) = (share, decodeTook, transformTook)
    }
}
