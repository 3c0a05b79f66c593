// SPDX-License-Identifier: MIT
import ImageCoding
import Locks
import TaskCoordination

/// A file, its properties, and the picture that was made from it. An object, because a load passes it from stage to
/// stage.
final class ProcessedOriginal: Sendable {
    let original: Original
    let properties: ImageProperties
    /// The picture, or the error of a transformer.
    let picture: Result<DecodedImage, any Error>
    /// The picture's share of the budget; `nil` for a picture that is too small to count.
    let share: MemoryShare?
    let decodeTook: Duration
    /// `nil` when nothing was transformed.
    let transformTook: Duration?

    /// What tells the content of the original from any other.
    let generation: ContentGeneration

    init(
        _ original: Original, _ properties: ImageProperties, _ picture: Result<DecodedImage, any Error>,
        _ share: MemoryShare?, generation: ContentGeneration, decodeTook: Duration, transformTook: Duration?
    ) {
        self.original = original
        self.properties = properties
        self.picture = picture
        self.share = share
        self.decodeTook = decodeTook
        self.transformTook = transformTook
        self.generation = generation
    }

    /// The picture for the callers and for memory.
    func content(_ image: DecodedImage) -> ImageResponse.Content {
        .init(
            image: image, format: properties.format, origin: original.origin, number: original.number,
            isLossless: properties.isLossless, generation: generation)
    }

    /// The same original with a picture that was made from this one.
    func with(_ picture: Result<DecodedImage, any Error>, _ share: MemoryShare?, took: Duration) -> ProcessedOriginal {
        ProcessedOriginal(
            original, properties, picture, share, generation: generation, decodeTook: decodeTook,
            transformTook: (transformTook ?? .zero) + took)
    }
}

/// Bytes of a budget. The last reference gives them back.
///
/// A share lives as long as the manager holds its pixels: from before they are made until the callers have them.
final class MemoryShare: Sendable {
    private let budget: Slots
    private let permit: Mutex<Slots.Permit>

    /// Creates a share for units that have been taken.
    init(_ budget: Slots, _ permit: Slots.Permit) {
        self.budget = budget
        self.permit = Mutex(permit)
    }

    /// Gives back the bytes that the work needed beyond its result.
    func shrink(to rest: Int) {
        if let rest = permit.withLock({ $0.split(keeping: rest) }) { budget.release(rest) }
    }

    deinit { budget.release(permit.withLock { $0 }) }
}
