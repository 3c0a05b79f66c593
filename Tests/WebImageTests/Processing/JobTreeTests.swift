// SPDX-License-Identifier: MIT
import Foundation
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// What a job does next, as arithmetic.
@Suite struct JobTreeTests {
    private static let original = PixelSize(width: 4_000, height: 3_000)

    private static func box(_ side: Int) -> any ImageTransforming { .resize(to: PixelSize(width: side, height: side)) }

    private func output(_ steps: [any ImageTransforming], as end: OutputFormat? = nil) -> JobOutput {
        JobOutput(.numbered(1, transformers: steps), end)
    }

    private func planned(_ outputs: [JobOutput], of original: PixelSize = original) -> JobTree {
        var tree = JobTree(outputs[0])
        for output in outputs.dropFirst() { _ = tree.join(output) { false } }
        tree.plan(for: [], of: original, hasBudget: false)
        return tree
    }

    /// Does what the tree says, on pictures of one pixel.
    ///
    /// - Returns: The numbers of the outputs in the order of their answers.
    private func run(_ tree: inout JobTree, _ outputs: [JobOutput]) throws -> [Int] {
        let pixel = try DecodedImage(
            width: 1, height: 1, frames: [.init(pixels: [0, 0, 0, 255])], hasAlpha: false)
        var order: [Int] = []
        while let work = tree.next() {
            switch work {
            case .decode(let base): expect(tree.decoded(pixel, base))
            case .transform(let node, _, _): tree.made(node, pixel, took: .zero)
            case .finish(_, let finished, _, _):
                order += finished.compactMap { one in outputs.firstIndex { $0 === one } }
                tree.finished(finished)
            }
        }
        return order
    }

    @Test func `the base is the smallest that serves every output`() throws {
        let sizes = planned([100, 300, 200].map { output([Self.box($0)]) })
        expectEqual(sizes.base?.size, PixelSize(width: 300, height: 225))
        expectEqual(planned([output([Self.box(100)]), output([])]).base?.size, Self.original)
        let linear: any ImageTransforming = .resize(to: PixelSize(width: 100, height: 100), inLinearLight: true)
        // A decoder adds up light for one output alone.
        expectEqual(planned([output([linear])]).base?.size, PixelSize(width: 100, height: 75))
        expectEqual(planned([output([linear]), output([Self.box(100)])]).base?.size, Self.original)
        let filled: any ImageTransforming = .resize(to: PixelSize(width: 400, height: 400), mode: .fill)
        expectEqual(planned([output([filled])]).base?.size, PixelSize(width: 400, height: 400))
        expectEqual(
            planned([output([filled]), output([Self.box(100)])]).base?.size, PixelSize(width: 533, height: 400))
    }

    @Test func `an animation that is left alone has a resize at the beginning and no other step`() {
        let crop: any ImageTransforming = .crop(to: PixelRect(x: 0, y: 0, width: 4, height: 4))
        let smart: any ImageTransforming = .smartCrop(to: PixelSize(width: 40, height: 40))
        let fill: any ImageTransforming = .resize(to: PixelSize(width: 40, height: 40), mode: .fill)
        for (steps, base, nodes) in [
            ([crop], Self.original, 1), ([smart], Self.original, 1), ([crop, Self.box(100)], Self.original, 1),
            ([fill, fill], PixelSize(width: 40, height: 40), 1),
            ([Self.box(100), crop], PixelSize(width: 100, height: 75), 2),
        ] {
            let output = output(steps)
            var tree = JobTree(output)
            tree.plan(for: [], of: Self.original, hasBudget: false, leavesAnimation: true)
            expectEqual(tree.base?.size, base)
            expectEqual(tree.nodes.count, nodes)
            expect(tree.nodes.last?.outputs.first === output)
        }
    }

    @Test(arguments: [original, PixelSize(width: 1_000, height: 344), PixelSize(width: 333, height: 999)])
    func `each output has the size that it has alone, whatever the base`(original: PixelSize) throws {
        let modes = [ResizeTransformer.Mode.fit, .fill, .cover, .stretch]
        var outputs = modes.flatMap { mode in
            [37, 100, 120].flatMap { width in
                [30, 91].map { output([.resize(to: PixelSize(width: width, height: $0), mode: mode)]) }
            }
        }
        outputs.append(output([.smartCrop(to: PixelSize(width: 70, height: 40))]))
        // With a base that leaves room, and with the whole.
        for more in [[], [output([Self.box(330)])], [output([])]] {
            let tree = planned(outputs + more, of: original)
            for node in tree.nodes {
                for output in node.outputs where !output.steps.isEmpty {
                    expectEqual(node.size, output.request.transformers[0].resultSize(for: original))
                }
            }
        }
    }

    @Test func `cheap answers come before dear ones, and urgent ones first`() throws {
        let outputs = [
            output([.blur(sigma: 9)]), output([Self.box(200)], as: .encoded(EncodedFormat(.avif))),
            output([Self.box(200)], as: .jpeg()), output([Self.box(300)]), output([Self.box(200)]),
        ]
        var tree = planned(outputs)
        try expectEqual(run(&tree, outputs), [3, 4, 2, 1, 0])
        expect(tree.isClosed)
    }

    @Test func `an output joins at the deepest picture that is there, and no dropped one`() throws {
        let (first, second) = (output([Self.box(200), .grayscale]), output([Self.box(200), .blur(sigma: 1)]))
        var tree = planned([first, second])
        let pixel = try DecodedImage(width: 1, height: 1, frames: [.init(pixels: [0, 0, 0, 255])], hasAlpha: false)
        guard let base = tree.base, case .decode? = tree.next(), tree.decoded(pixel, base),
            case .transform(let node, _, _)? = tree.next()
        else { throw ImageError(code: .malformed, message: "no decode") }
        let count = tree.nodes.count
        // While the common step runs.
        expectEqual(tree.join(output([Self.box(200), .grayscale], as: .png)) { true }, .joined)
        expectEqual(tree.nodes.count, count)
        tree.made(node, pixel, took: .zero)
        // The base has been dropped, and the common picture is there.
        expectEqual(tree.join(output([Self.box(100)])) { true }, .refused)
        expectEqual(tree.join(output([Self.box(200), .pad(by: 3)])) { true }, .joined)
    }

    @Test func `a larger output begins the decode anew before half of it, and not for ever`() throws {
        var tree = planned([output([Self.box(100)])])
        guard case .decode? = tree.next() else { throw ImageError(code: .malformed, message: "no decode") }
        expectEqual(tree.join(output([Self.box(150)])) { true }, .refused)
        expectEqual(tree.join(output([Self.box(200)])) { false }, .restarted)
        // There is room for larger ones, and before it begins anew, the base grows.
        expectEqual(tree.base?.size.width, 1_333)
        expectEqual(tree.join(output([Self.box(350)])) { true }, .joined)
        expectEqual(tree.join(output([Self.box(1_500)])) { true }, .restarted)
        expectEqual(tree.base?.size.width, 1_500)
        for side in [1_600, 1_700] {
            guard case .decode? = tree.next() else { throw ImageError(code: .malformed, message: "no decode") }
            expectEqual(tree.join(output([Self.box(side)])) { false }, side == 1_600 ? .restarted : .refused)
        }
        for _ in 0..<12 { expectEqual(tree.join(output([Self.box(50)])) { true }, .joined) }
        expectEqual(tree.join(output([Self.box(50)])) { true }, .refused)
    }

    @Test func `leaving ends the step that no other output needs, and the last one the job`() throws {
        let outputs = [output([.blur(sigma: 9)]), output([Self.box(200)]), output([.blur(sigma: 9), .grayscale])]
        var tree = planned(outputs)
        let pixel = try DecodedImage(width: 1, height: 1, frames: [.init(pixels: [0, 0, 0, 255])], hasAlpha: false)
        guard let base = tree.base, case .decode? = tree.next() else { return }
        expectEqual(tree.leave(outputs[1]), .nothing)
        _ = tree.decoded(pixel, base)
        guard case .transform? = tree.next() else { throw ImageError(code: .malformed, message: "no step") }
        expectEqual(tree.leave(outputs[0]), .nothing)
        expectEqual(tree.leave(outputs[2]), .endsJob)
        expect(tree.isClosed)
        var other = planned(outputs)
        guard case .decode? = other.next(), other.decoded(pixel, base), case .transform? = other.next() else { return }
        // The cheap one runs.
        expectEqual(other.leave(outputs[0]), .nothing)
        expectEqual(other.leave(outputs[1]), .endsStep)
    }

    @Test func `a load that is announced never takes the place of a step that is prepared`() throws {
        struct Marked: ImageTransforming {
            var key: String { "mark" }
            let isPrepared: Bool
            func transform(_ image: DecodedImage) -> DecodedImage { image }
        }
        final class Wish {}
        let (wish, other) = (Wish(), Wish())
        func marked(_ isPrepared: Bool, _ wish: Wish, _ end: OutputFormat? = nil) -> JobOutput {
            let request = ImageRequest.numbered(1, transformers: [Marked(isPrepared: isPrepared)])
            return JobOutput(request, end, wish: ObjectIdentifier(wish))
        }
        // Beside it, and before it.
        for first in [marked(true, wish), output([])] {
            var tree = JobTree(first)
            let announced = [marked(false, other), marked(false, wish)]
            tree.plan(for: announced, of: Self.original, hasBudget: false)
            if !first.steps.isEmpty {
                expectEqual(tree.nodes.compactMap { ($0.step as? Marked)?.isPrepared }, [true])
            }
            expectEqual(tree.join(marked(true, wish, .original)) { false }, .joined)
            expectEqual(tree.nodes.compactMap { ($0.step as? Marked)?.isPrepared }, [true])
        }
    }

    @Test func `steps are the same when the bytes of their names are, and the time of a chain is that of all`() throws {
        let lists = [["a"], ["a", "\u{E9}"], ["a", "e\u{301}"]]
        let outputs = lists.map { keys in output(keys.map { key -> any ImageTransforming in .custom(key: key) { $0 } })
        }
        var tree = planned(outputs)
        expectEqual(tree.nodes.count, 4)
        let pixel = try DecodedImage(width: 1, height: 1, frames: [.init(pixels: [0, 0, 0, 255])], hasAlpha: false)
        while let work = tree.next() {
            switch work {
            case .decode(let base): _ = tree.decoded(pixel, base)
            case .transform(let node, _, _): tree.made(node, pixel, took: .seconds(1))
            case .finish(let node, let finished, _, _):
                expectEqual(tree.nodes[node].took, .seconds(finished[0].steps.count))
                tree.finished(finished)
            }
        }
        expectEqual(tree.outputs.count, 0)
    }

    @Test func `the peak is that of a walk, depth first`() throws {
        let pixels = Self.original.width * Self.original.height * 4
        func peak(_ lists: [[any ImageTransforming]]) -> Int {
            JobCost.peak(of: planned(lists.map { output($0) }), frames: 1) { _, _ in 0 }
        }
        let same: any ImageTransforming = .custom(key: "same") { $0 }
        let other: any ImageTransforming = .custom(key: "other") { $0 }
        expectEqual(peak([[]]), pixels)
        // A chain holds two pictures at a time.
        expectEqual(peak([[same, other, same]]), 2 * pixels)
        // A picture that a caller has is held on.
        expectEqual(peak([[same], [same, other]]), 2 * pixels)
        expectEqual(peak([[same], [other]]), 3 * pixels)
        expectEqual(peak([[Self.box(400)]]), 2 * 400 * 300 * 4)
    }
}
