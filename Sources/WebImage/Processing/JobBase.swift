// SPDX-License-Identifier: MIT
import ImageCoding

/// The picture that all outputs of a job are made of: the original, decoded as small as serves them all.
struct JobBase: Sendable, Equatable {
    /// The resize that is part of the decode; `nil` for the whole picture.
    let resize: ResizeTransformer?
    /// The size of the original.
    private let original: PixelSize
    /// The sides of the base over those of the original; 1 for the whole picture, or for what ``consumed`` says.
    private let scale: Double
    /// The key of the first transformer, when the decoder does all of it: nothing else can be made of this base.
    private let consumed: String?
    /// Whether the original is an animation that transformers do not change, but for a resize that comes first.
    var leavesAnimation: Bool

    /// - Parameters:
    ///   - outputs: At least one.
    ///   - original: The size of the original.
    ///   - hasBudget: Whether the pixels of the decoded picture are limited in bytes. Then all begin with one step.
    ///   - leavesAnimation: Whether the original is an animation that transformers do not change.
    ///   - leavesRoom: Whether larger outputs are likely to come: then the base has at least a third of the sides,
    ///     which costs less than to begin anew.
    init(
        for outputs: [JobOutput], of original: PixelSize, hasBudget: Bool, leavesAnimation: Bool = false,
        leavesRoom: Bool = false
    ) {
        (self.original, self.leavesAnimation) = (original, leavesAnimation)
        // Alone, a decoder does the whole resize: it crops, and adds up light.
        let first = outputs[0].steps.first?.key
        if let leading = Self.leading(outputs[0], leavesAnimation),
            leading.mode != .fit || leading.inLinearLight || hasBudget,
            outputs.allSatisfy({ $0.steps.first?.key == first })
        {
            (resize, scale, consumed) = (leading, 1, first)
            return
        }
        var scale = outputs.map { Self.scale($0, original, leavesAnimation) }.max() ?? 1
        // A decoder of JPEG draws half of the sides for it, and takes little longer than for a small thumbnail.
        if leavesRoom { scale = max(scale, 1 / 3) }
        (self.scale, consumed) = (scale, nil)
        resize = scale < 1 ? .resize(to: original.scaled(by: scale)) : nil
    }

    /// The size of the base.
    var size: PixelSize { resize?.resultSize(for: original) ?? original }

    /// Whether an output can be made of it.
    func serves(_ output: JobOutput) -> Bool {
        if let consumed { return output.steps.first?.key == consumed }
        return scale >= 1 || Self.scale(output, original, leavesAnimation) <= scale
    }

    /// The transformers that make an output of the base. The first one gives exactly the size that it gives for the
    /// original.
    func steps(of output: JobOutput) -> [any ImageTransforming] {
        let steps = allSteps(of: output)
        guard leavesAnimation else { return steps }
        return Array(steps.dropLast(output.steps.count - (output.steps.first is ResizeTransformer ? 1 : 0)))
    }

    private func allSteps(of output: JobOutput) -> [any ImageTransforming] {
        if consumed != nil { return output.rest }
        guard scale < 1, let leading = output.leading, [.fit, .cover].contains(leading.mode),
            output.steps.first is ResizeTransformer
        else { return output.steps }
        let exact: any ImageTransforming = .resize(to: leading.resultSize(for: original), mode: .stretch)
        return [exact] + output.rest
    }

    /// The resize of the decoder. A crop that a resize would prepare is none of an animation that is left as it is.
    private static func leading(_ output: JobOutput, _ leavesAnimation: Bool) -> ResizeTransformer? {
        leavesAnimation && !(output.steps.first is ResizeTransformer) ? nil : output.leading
    }

    /// How large the original must be for an output. The larger of both scales covers the result, of which `.fill`
    /// crops and `.stretch` squeezes a side. A filter that adds up light needs the whole picture.
    private static func scale(_ output: JobOutput, _ original: PixelSize, _ leavesAnimation: Bool) -> Double {
        guard let leading = leading(output, leavesAnimation), !leading.inLinearLight else { return 1 }
        let result = leading.resultSize(for: original)
        let across = Double(result.width) / Double(max(1, original.width))
        let down = Double(result.height) / Double(max(1, original.height))
        return min(1, max(across, down))
    }
}

extension PixelSize {
    fileprivate func scaled(by scale: Double) -> PixelSize {
        PixelSize(
            width: Int((Double(width) * scale).rounded(.up)), height: Int((Double(height) * scale).rounded(.up)))
    }
}
