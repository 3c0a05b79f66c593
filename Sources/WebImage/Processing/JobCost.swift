// SPDX-License-Identifier: MIT
import ImageCoding

/// What a job takes: memory in bytes, and work in pixels, both estimated. What is too large to count is `Int.max`.
enum JobCost {
    /// The bytes that a job takes at its peak after the decode, on a walk through its tree, depth first.
    ///
    /// A picture is held until the last picture that is made of it is there. Pictures that outputs get are held by
    /// their callers from then on.
    ///
    /// - Parameter encoding: The bytes that encoding the picture of a node for an output takes.
    static func peak(of tree: JobTree, frames: Int, encoding: (JobTree.Node, JobOutput) -> Int) -> Int {
        guard !tree.nodes.isEmpty else { return 0 }
        var (peak, delivered) = (0, 0)
        func walk(_ node: Int, above: Int) {
            let (size, outputs) = (tree.nodes[node].size, tree.nodes[node].outputs)
            let children = tree.nodes[node].children.filter(tree.isWanted).sorted(by: tree.comesFirst)
            let own = !tree.isDropped(node) ? size.bitmapByteCount.saturatingMultiply(frames) : 0
            let held = above.saturatingAdd(own)
            func note(_ work: Int) { peak = max(peak, held.saturatingAdd(delivered).saturatingAdd(work)) }
            note(0)
            for output in outputs where output.end != nil { note(encoding(tree.nodes[node], output)) }
            for child in children {
                let result = tree.nodes[child].size.bitmapByteCount.saturatingMultiply(frames)
                note(result.saturatingAdd(tree.nodes[child].step?.workingByteCount(for: size) ?? 0))
                walk(child, above: child == children.last && outputs.isEmpty && !tree.isAnnounced(node) ? above : held)
            }
            if !outputs.isEmpty { delivered = delivered.saturatingAdd(own) }
        }
        walk(0, above: 0)
        return peak
    }

    /// The work of a node and of all below it, in pixels.
    static func work(_ tree: JobTree, below node: Int) -> Int {
        let (node, pixels) = (tree.nodes[node], tree.nodes[node].size.pixelCount)
        let weights = node.outputs.reduce(weight(of: node.step)) { $0 + weight(of: $1.end) }
        return node.children.reduce(pixels.saturatingMultiply(weights)) { $0.saturatingAdd(work(tree, below: $1)) }
    }

    /// How much a pixel takes in an encoder, against one that is resized.
    static func weight(of end: OutputFormat?) -> Int {
        guard let end else { return 0 }
        guard case .encoded(let format) = end else { return 4 }
        return switch format.format {
        case .jpeg: 2
        case .avif, .heic: 100
        case .webp where format.options.isLossless: 40
        case .webp, .png: 10
        default: 8
        }
    }

    private static func weight(of step: (any ImageTransforming)?) -> Int {
        switch step {
        case is ResizeTransformer: 2
        case is BlurTransformer: 8
        default: 4
        }
    }
}
