// SPDX-License-Identifier: MIT
extension ResizeTransformer {
    /// The part of the work that a decoder does at its best: everything but enlarging.
    ///
    /// Applied to its result, the transformer gives what it gives for the whole picture.
    var shrinking: ResizeTransformer {
        var first = ResizeTransformer(size: size, mode: mode, gravity: gravity, inLinearLight: inLinearLight)
        first.keepsShape = keepsShape && !allowsEnlarging
        return first
    }

    /// Divides transformers into a resize that a decoder does while it decodes, and the transformers that remain.
    ///
    /// A decoder reads a picture at a smaller size in a fraction of the time and memory. It never enlarges, so a resize
    /// that may enlarge is among the rest too.
    ///
    /// - Parameter transformers: In the order they are applied.
    /// - Returns: The value for ``DecodeOptions/thumbnail``, and what to apply to the decoded picture, without
    ///   pipelines around it. No thumbnail if the first transformer is another one, or its box has no area.
    package static func leading(
        _ transformers: [any ImageTransforming]
    ) -> (thumbnail: ResizeTransformer?, rest: [any ImageTransforming]) {
        let transformers = TransformerPipeline(transformers).steps
        if let crop = transformers.first as? SmartCropTransformer, crop.size.width > 0, crop.size.height > 0 {
            return (ResizeTransformer(size: crop.size, mode: .cover), transformers)
        }
        guard let resize = transformers.first as? ResizeTransformer, resize.size.width > 0, resize.size.height > 0
        else { return (nil, transformers) }
        return (resize.shrinking, resize.allowsEnlarging ? transformers : Array(transformers.dropFirst()))
    }
}
